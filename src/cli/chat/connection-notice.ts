import type { ConnectionChange } from "#cli/client/client.ts";

/** What people are told when the connection to the server changes during a turn. */
export function connectionNotice(change: ConnectionChange): string {
  switch (change) {
    case "lost":
      return "The connection was lost. Reconnecting…";
    case "back":
      return "Connected again.";
    case "restarted":
      return "The server was restarted in the middle of this answer: it begins again.";
  }
}
