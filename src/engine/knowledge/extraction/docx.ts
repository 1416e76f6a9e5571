import { Unzip, UnzipInflate } from "fflate";
import mammoth from "mammoth";
import type { ExtractedText } from "../chunker.ts";
import { extractHtml } from "./html.ts";

/** What a file may swell to when it is unpacked; what it says of itself is not believed. */
const UNPACKED_BYTES_MAX = 100 * 1024 * 1024;
/** Fed in such parts, a bomb is noticed before it has gone off. */
const PART_BYTES = 16 * 1024;
const OLE = [0xd0, 0xcf, 0x11, 0xe0];

/** Headings, paragraphs, lists, tables and footnotes; pictures and page headers are left out. */
export async function extractDocx(bytes: Uint8Array): Promise<ExtractedText> {
  if (OLE.every((byte, index) => bytes[index] === byte))
    throw new Error("it has a password, or is in the old .doc format; save it as plain .docx");
  refuseBomb(bytes);
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
  return extractHtml(value);
}

function refuseBomb(bytes: Uint8Array): void {
  let unpacked = 0;
  const unzip = new Unzip((file) => {
    file.ondata = (error, data) => {
      if (error) throw error;
      unpacked += data.byteLength;
      if (unpacked > UNPACKED_BYTES_MAX)
        throw new Error(`it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
    const end = at + PART_BYTES;
    unzip.push(bytes.subarray(at, end), end >= bytes.byteLength);
  }
}
