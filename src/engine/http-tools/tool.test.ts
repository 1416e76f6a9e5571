import { expect, test } from "vitest";
import { createBreakers } from "../resilience/breakers.ts";
import type { HttpToolRecord } from "./http-tool.ts";
import { createOutbound } from "./send.ts";
import { httpTool } from "./tool.ts";

/** Values as they are, but for what makes no two sealed ones alike. */
const secrets = {
  seal: (value: string) => value,
  open: (sealed: string) => sealed.replace(/^\d+:/, ""),
};

const digestAt = (sealed_variables: HttpToolRecord["sealed_variables"]) => {
  const definition = {
    url: "${SHOP_URL}/orders/{{id}}",
    auth: { type: "bearer", token: "${KEY}" },
  };
  const record = { id: "1", name: "order", definition, sealed_variables } as HttpToolRecord;
  const services = {
    secrets,
    breakers: createBreakers(() => new Date()),
    outbound: createOutbound(),
  };
  return httpTool(record, services).digest?.();
};

test("what was approved is another tool where its variables lead to another address", () => {
  const before = digestAt({ SHOP_URL: "1:https://shop.example", KEY: "2:k" });
  expect(digestAt({ SHOP_URL: "3:https://shop.example", KEY: "4:k" })).toBe(before);
  expect(digestAt({ SHOP_URL: "1:https://elsewhere.example", KEY: "2:k" })).not.toBe(before);
  expect(digestAt({ KEY: "2:k" })).not.toBe(before);
});
