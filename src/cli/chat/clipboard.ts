/** Terminals drop longer ones without a word. */
const MAX_CLIPBOARD_BYTES = 74_000;

/**
 * Asks the terminal to put a text into the clipboard (OSC 52), which works over SSH, too. `undefined`
 * when the text is too long for that. Whether the terminal allows it, it does not say.
 */
export function clipboardSequence(text: string): string | undefined {
  const data = Buffer.from(text).toString("base64");
  return data.length > MAX_CLIPBOARD_BYTES ? undefined : `\u001B]52;c;${data}\u0007`;
}
