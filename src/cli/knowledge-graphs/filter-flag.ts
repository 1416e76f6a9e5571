import { usageError } from "../output.ts";

const CONDITION = /^\s*(.+?)\s*(>=|<=|=|>|<|\sin\s)\s*(.*)$/;
const SUFFIXES: Readonly<Record<string, string>> = {
  "=": "",
  ">=": "[gte]",
  ">": "[gt]",
  "<=": "[lte]",
  "<": "[lt]",
  in: "[in]",
};

/** `docks>=4` as a query has it: `filter[docks][gte]`, and 4. Throws a usage error. */
export function filterKey(condition: string): [string, string] {
  const [, field, operator = "", value = ""] = CONDITION.exec(condition) ?? [];
  if (field === undefined) {
    throw usageError(
      `--filter: "${condition}" is not like country=FI, "docks>=4" or "country in FI,SE"`,
    );
  }
  return [`filter[${field}]${SUFFIXES[operator.trim()] ?? ""}`, value];
}
