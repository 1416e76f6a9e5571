import { expect, test } from "vitest";
import { filterKey } from "./filter-flag.ts";

test.each([
  ["country=FI", "filter[country]", "FI"],
  ["country = FI", "filter[country]", "FI"],
  ["name=a=b", "filter[name]", "a=b"],
  ["name=", "filter[name]", ""],
  ["docks>=4", "filter[docks][gte]", "4"],
  ["docks>4", "filter[docks][gt]", "4"],
  ["docks <= -1.5", "filter[docks][lte]", "-1.5"],
  ["built<2026-03-01", "filter[built][lt]", "2026-03-01"],
  ["country in FI,SE", "filter[country][in]", "FI,SE"],
])("the filter %s asks for %s %s", (condition, key, value) => {
  expect(filterKey(condition)).toEqual([key, value]);
});

test.each(["", "country", "=FI"])("the filter %j is refused", (condition) => {
  expect(() => filterKey(condition)).toThrow("--filter");
});
