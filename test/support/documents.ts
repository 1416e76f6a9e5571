import { Document, Packer, Paragraph } from "docx";
import PDFDocument from "pdfkit";

/** A PDF with a text on each page. */
export function makePdf(
  pages: readonly string[],
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const document = new PDFDocument({ ...options, autoFirstPage: false });
  const parts: Uint8Array[] = [];
  const made = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  document.on("data", (part: Uint8Array) => parts.push(part));
  document.on("end", () => made.resolve(new Uint8Array(Buffer.concat(parts))));
  for (const text of pages) document.addPage().text(text);
  document.end();
  return made.promise;
}

/** A Word document of paragraphs. */
export const makeDocx = async (paragraphs: readonly string[]): Promise<Uint8Array> => {
  const children = paragraphs.map((text) => new Paragraph(text));
  return new Uint8Array(await Packer.toBuffer(new Document({ sections: [{ children }] })));
};
