import mammoth from "mammoth";
import type { ExtractedText } from "../chunker.ts";
import { extractHtml } from "./html.ts";
import { requireArchive } from "./office.ts";

/** Headings, paragraphs, lists, tables and footnotes; pictures and page headers are left out. */
export async function extractDocx(bytes: Uint8Array): Promise<ExtractedText> {
  requireArchive(bytes, "docx");
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
  return extractHtml(value);
}
