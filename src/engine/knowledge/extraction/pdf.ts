import { getDocumentProxy } from "unpdf";
import type { ExtractedText, Mark } from "../chunker.ts";

const PAGES_MAX = 5_000;
const PAGE_BREAK = "\n\n";

/** The text of each page in the order in which it is drawn. Throws for one without a text. */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedText> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  if (document.numPages > PAGES_MAX)
    throw new Error(`it has ${document.numPages} pages, and ${PAGES_MAX} are the most`);
  const marks: Mark[] = [];
  let text = "";
  for (let page = 1; page <= document.numPages; page += 1) {
    const opened = await document.getPage(page);
    const { items } = await opened.getTextContent();
    const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
    marks.push({ start: text.length, headings: [], page });
    text += words.join("") + PAGE_BREAK;
    opened.cleanup();
  }
  if (text.trim() === "")
    throw new Error("its pages hold no text; a scan must go through text recognition first");
  return { text, marks };
}
