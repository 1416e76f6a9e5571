import { audited } from "../audit/record.ts";
import type { Context } from "../context.ts";
import { giveWay } from "../kernel/give-way.ts";
import { type Operation, parseInput } from "../operation.ts";
import type { SectionKey } from "./section.ts";

/**
 * Runs a feature's own operation on behalf of a document, with an entry of its own in the audit log.
 * Whoever may apply a configuration may do everything in it, so no other scope is asked for.
 */
export async function perform<Input, Output>(
  ctx: Context,
  operation: Operation<Input, Output>,
  input: Input,
  [section, name]: readonly [SectionKey, string],
): Promise<Output> {
  const door = { resource: `config ${section}/${name}`, details: { operation: operation.name } };
  const given = parseInput(operation.input, input) as Input;
  // Also within a transaction: its statements stay together, as others read elsewhere and write later.
  await giveWay();
  return operation.run(audited(ctx, operation, door), given);
}
