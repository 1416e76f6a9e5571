import { Command } from "commander";
import { notFound } from "#engine/kernel/error.ts";
import { isUuid } from "#engine/kernel/fields.ts";
import { listClients, removeClient } from "#engine/oauth/clients.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { note, print, printJson } from "../output.ts";
import { table } from "../table.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

export function oauthCommand(): Command {
  const command = new Command("oauth").description(
    "Coding agents that got access by consent in the browser",
  );
  clientOptions(command.command("list"))
    .description("List the clients with a consent")
    .action(list);
  clientOptions(command.command("revoke"))
    .description("Take back every consent of a client; its tokens stop working at once")
    .argument("<id>", "the client's id or name")
    .action(revoke);
  return command;
}

async function list(flags: Flags): Promise<void> {
  const clients = await using(flags, (client) => client.call(listClients, {}));
  if (flags.json) return void printJson(clients);
  if (clients.length === 0) return void note("No client has a consent.");
  const rows = clients.map(({ id, name, scope, redirect_place, consented_by, created_at }) => [
    id,
    name,
    scope,
    redirect_place,
    consented_by,
    created_at,
  ]);
  print(table(["ID", "NAME", "SCOPE", "ANSWERS GO TO", "CONSENT BY", "SINCE"], rows));
}

async function revoke(key: string, flags: Flags): Promise<void> {
  const found = await using(flags, async (client) => {
    const clients = await client.call(listClients, {});
    const chosen = clients.find(({ id, name }) =>
      isUuid(key) ? id === key.toLowerCase() : name === key,
    );
    if (!chosen) throw notFound("client", key);
    await client.call(removeClient, { id: chosen.id });
    return chosen;
  });
  if (flags.json) return void printJson({ id: found.id, name: found.name, revoked: true });
  note(`"${found.name}" has no access any more.`);
}
