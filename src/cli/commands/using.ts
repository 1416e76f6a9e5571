import type { Client } from "../client/client.ts";
import { type ConnectFlags, connect } from "../client/connect.ts";

/** One piece of work on what the flags name, and the connection closed behind it, whatever comes of it. */
export async function using<Result>(
  flags: ConnectFlags,
  work: (client: Client) => Promise<Result>,
  options: { readonly prefer_server?: boolean } = {},
): Promise<Result> {
  const client = await connect(flags, process.env, options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
