import { notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import {
  CapabilityKey,
  type CapabilityRecord,
  CapabilityUpdate,
  requireConfig,
} from "./capability.ts";

const Key = CapabilityKey.pick({ capId: true });

/** For doors that know a binding without its agent. */
export const changeCapabilityById = defineOperation({
  name: "capabilities.replace",
  summary: "Change a capability binding's configuration, or switch it on or off",
  scope: "agents:write",
  effect: "write",
  input: CapabilityUpdate.pick({ capId: true, config: true, enabled: true }),
  output: Nothing,
  run: (ctx, { capId, config, enabled }) =>
    ctx.write(async (tx) => {
      const { id, type } = await requireCapability(tx, capId);
      await tx.capabilities.update(id, {
        ...(config === undefined ? {} : { config: requireConfig(type, config) }),
        ...(enabled === undefined ? {} : { enabled }),
      });
      return undefined;
    }),
});

export const deleteCapabilityById = defineOperation({
  name: "capabilities.delete",
  summary: "Remove a capability binding",
  scope: "agents:write",
  effect: "destroy",
  input: Key,
  output: Nothing,
  run: (ctx, { capId }) =>
    ctx.write(async (tx) => {
      await tx.capabilities.delete((await requireCapability(tx, capId)).id);
      return undefined;
    }),
});

async function requireCapability(
  { capabilities }: Pick<Reads, "capabilities">,
  id: string,
): Promise<CapabilityRecord> {
  const capability = await capabilities.get(id);
  if (!capability) throw notFound("capability", id);
  return capability;
}
