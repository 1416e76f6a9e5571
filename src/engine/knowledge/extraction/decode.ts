/**
 * Bytes as text: UTF-8, UTF-16 where it says so, else the old Western encoding. Throws for what is no text.
 * The bytes are taken over, and freed at once: what reads the text may need the memory.
 */
export function takeText(bytes: Uint8Array<ArrayBuffer>): string {
  const text = decodeText(bytes);
  bytes.buffer.transfer(0);
  return text;
}

function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decode(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decode(bytes, "utf-16be");
  if (bytes.includes(0)) throw new Error("it holds binary data");
  try {
    return decode(bytes, "utf-8");
  } catch {
    return decode(bytes, "windows-1252");
  }
}

const decode = (bytes: Uint8Array, encoding: string): string =>
  new TextDecoder(encoding, { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
