import type { ExtractedText } from "../chunker.ts";
import { extractCsv, extractJson, extractYaml } from "./data.ts";
import { takeText } from "./decode.ts";
import { extractHtml } from "./html.ts";
import { extractMarkdown } from "./markdown.ts";

/** Longer texts are more than a server should have to search. */
const TEXT_CHARACTERS_MAX = 64 * 1024 * 1024;

/**
 * Takes the text out of a file, or says in one sentence why it can't be read. Any file may be broken or
 * built to do harm, so this runs in a thread of its own, with limits of memory and time. The bytes are
 * given away.
 */
export async function extractText(
  file_type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ExtractedText | { readonly problem: string }> {
  try {
    const extracted = await readText(file_type, bytes);
    if (extracted.text.length > TEXT_CHARACTERS_MAX)
      return { problem: `its text has more than ${TEXT_CHARACTERS_MAX} characters` };
    return extracted;
  } catch (error) {
    const nested = error instanceof RangeError;
    const reason = nested ? "it is nested too deeply" : firstLine(error);
    return { problem: `it cannot be read as ${file_type}: ${reason}` };
  }
}

async function readText(file_type: string, bytes: Uint8Array<ArrayBuffer>): Promise<ExtractedText> {
  switch (file_type) {
    case "pdf":
      return (await import("./pdf.ts")).extractPdf(bytes);
    case "docx":
      return (await import("./docx.ts")).extractDocx(bytes);
    case "xlsx":
      return (await import("./xlsx.ts")).extractXlsx(bytes);
    case "pptx":
      return (await import("./pptx.ts")).extractPptx(bytes);
    case "md":
      return extractMarkdown(takeText(bytes));
    case "html":
      return extractHtml(takeText(bytes));
    case "csv":
      return extractCsv(takeText(bytes));
    case "json":
      return extractJson(takeText(bytes));
    case "yaml":
      return extractYaml(takeText(bytes));
    default:
      return { text: takeText(bytes), marks: [] };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
