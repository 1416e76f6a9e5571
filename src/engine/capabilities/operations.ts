import { z } from "zod";
import { type AgentRecord, requireAgent } from "../agents/agent.ts";
import { conflict, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import {
  CapabilitiesKey,
  Capability,
  CapabilityCreate,
  CapabilityKey,
  type CapabilityRecord,
  CapabilityUpdate,
  requireConfig,
  requireType,
} from "./capability.ts";

export const listCapabilities = defineOperation({
  name: "capabilities.list",
  summary: "List an agent's capability bindings",
  scope: "agents:read",
  effect: "read",
  input: CapabilitiesKey,
  output: z.array(Capability),
  run: async ({ read }, { name }) => {
    const agent = await requireAgent(read, name);
    const capabilities = await read.capabilities.listByAgent(agent.id);
    return capabilities.map((capability) => toCapability(agent, capability));
  },
});

export const createCapability = defineOperation({
  name: "capabilities.create",
  summary: "Bind a capability to an agent",
  scope: "agents:write",
  effect: "write",
  input: CapabilityCreate,
  output: Capability,
  run: (ctx, { name, type: given, config = {}, enabled = true }) => {
    const type = requireType(given);
    const checked = requireConfig(type, config);
    return ctx.write(async (tx) => {
      const agent = await requireAgent(tx, name);
      const bound = await tx.capabilities.listByAgent(agent.id);
      if (bound.some((capability) => capability.type === type)) {
        throw conflict(`agent "${agent.name}" already has the capability ${type}`);
      }
      const capability: CapabilityRecord = {
        id: ctx.newId(),
        agent_id: agent.id,
        type,
        config: checked,
        enabled,
        created_at: ctx.now().toISOString(),
      };
      await tx.capabilities.insert(capability);
      return toCapability(agent, capability);
    });
  },
});

/** Keeps what the body does not name, as in the contract (4.2). */
export const replaceCapability = defineOperation({
  name: "capabilities.replace",
  summary: "Replace a capability binding",
  scope: "agents:write",
  effect: "write",
  input: CapabilityUpdate,
  output: Nothing,
  run: (ctx, { name, capId, type, config, enabled }) =>
    ctx.write(async (tx) => {
      const capability = await requireCapability(tx, await requireAgent(tx, name), capId);
      if (type !== undefined && requireType(type) !== capability.type) {
        throw conflict(
          `a binding's type is immutable: this one is ${capability.type}; add another`,
        );
      }
      await tx.capabilities.update(capability.id, {
        ...(config === undefined ? {} : { config: requireConfig(capability.type, config) }),
        ...(enabled === undefined ? {} : { enabled }),
      });
      return undefined;
    }),
});

export const deleteCapability = defineOperation({
  name: "capabilities.delete",
  summary: "Remove a capability binding",
  scope: "agents:write",
  effect: "destroy",
  input: CapabilityKey,
  output: Nothing,
  run: (ctx, { name, capId }) =>
    ctx.write(async (tx) => {
      const capability = await requireCapability(tx, await requireAgent(tx, name), capId);
      await tx.capabilities.delete(capability.id);
      return undefined;
    }),
});

async function requireCapability(
  { capabilities }: Pick<Reads, "capabilities">,
  agent: AgentRecord,
  id: string,
): Promise<CapabilityRecord> {
  const capability = await capabilities.get(id);
  if (capability?.agent_id !== agent.id) throw notFound("capability", id);
  return capability;
}

const toCapability = (agent: AgentRecord, capability: CapabilityRecord) => ({
  ...capability,
  agent_name: agent.name,
});
