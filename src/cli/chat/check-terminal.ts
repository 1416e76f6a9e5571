import { PassThrough } from "node:stream";
import { render, Text } from "ink";
import { createElement } from "react";

/** Draws one frame off screen. Throws when nothing comes out. */
export async function checkTerminalInterface(): Promise<string> {
  const screen = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let shown = "";
  screen.on("data", (chunk) => {
    shown += String(chunk);
  });
  const stdout = screen as unknown as NodeJS.WriteStream;
  const frame = createElement(Text, undefined, "troupe");
  const app = render(frame, { stdout, debug: true, patchConsole: false });
  app.unmount();
  await app.waitUntilExit();
  if (!shown.includes("troupe")) throw new Error("nothing was drawn");
  return "draws";
}
