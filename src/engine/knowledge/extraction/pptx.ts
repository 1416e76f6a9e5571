import type { ExtractedText, Mark } from "../chunker.ts";
import { type OfficePackage, openOffice, type XmlHandler } from "./office.ts";

/** Slides as pages under their titles, with tables and what the speaker noted; hidden ones are left out. */
export function extractPptx(bytes: Uint8Array): ExtractedText {
  const file = openOffice(bytes, "pptx");
  const marks: Mark[] = [];
  let text = "";
  for (const [index, path] of slidePaths(file).entries()) {
    const slide = readSlide(file, path);
    if (slide.is_hidden) continue;
    const notes = notesOf(file, path);
    const lines = [...slide.lines, ...(notes ? [`Notes: ${notes}`] : [])];
    const headings = slide.title === "" ? [] : [slide.title];
    marks.push({ start: text.length, headings, page: index + 1 });
    text += `${lines.join("\n")}\n\n`;
  }
  return { text, marks };
}

/** In the order in which they are shown. */
function slidePaths(file: OfficePackage): string[] {
  const related = file.related(file.main);
  const paths: string[] = [];
  file.read(file.main, {
    open(name, { r_id = "" }) {
      const found = name === "sldId" ? related.get(r_id) : undefined;
      if (found) paths.push(found.path);
    },
  });
  return paths;
}

function notesOf(file: OfficePackage, slide: string): string {
  const notes = [...file.related(slide).values()].find(({ type }) => type === "notesSlide");
  if (!notes || !file.has(notes.path)) return "";
  return readSlide(file, notes.path).lines.join("\n");
}

interface Slide {
  readonly title: string;
  readonly lines: readonly string[];
  readonly is_hidden: boolean;
}

/** Placeholders for what is on every page. */
const FURNITURE = /^(sldNum|dt|ftr|hdr|sldImg)$/;
const TITLE = /^(title|ctrTitle)$/;

function readSlide(file: OfficePackage, path: string): Slide {
  const titles: string[] = [];
  const lines: string[] = [];
  let is_hidden = false;
  let placeholder = "";
  const reader = paragraphReader((paragraph) => {
    if (FURNITURE.test(placeholder) || paragraph === "") return;
    lines.push(paragraph);
    if (TITLE.test(placeholder)) titles.push(paragraph);
  });
  file.read(path, {
    ...reader,
    open(name, attributes) {
      if (name === "sld") is_hidden = /^(0|false)$/.test(attributes.show ?? "");
      if (name === "sp" || name === "graphicFrame") placeholder = "";
      if (name === "ph") placeholder = attributes.type ?? "";
      reader.open(name);
    },
  });
  return { title: titles.join(" "), lines, is_hidden };
}

/** Tells of each paragraph, and of each row of a table. */
function paragraphReader(tell: (paragraph: string) => void) {
  let paragraph = "";
  let cells: string[] | undefined;
  let is_text = false;
  /** Inside what is there only for programs that do not know better. */
  let is_fallback = false;
  const endParagraph = () => {
    const line = paragraph.replace(/\s+/g, " ").trim();
    paragraph = "";
    if (cells) cells.push([cells.pop(), line].filter(Boolean).join(" "));
    else tell(line);
  };
  return {
    open(name: string) {
      switch (name) {
        case "Fallback":
          is_fallback = true;
          break;
        case "tr":
          cells = [];
          break;
        case "tc":
          cells?.push("");
          break;
        case "br":
          paragraph += " ";
          break;
        case "t":
          is_text = true;
      }
    },
    text(part: string) {
      if (is_text && !is_fallback) paragraph += part;
    },
    close(name: string) {
      switch (name) {
        case "Fallback":
          is_fallback = false;
          break;
        case "t":
          is_text = false;
          break;
        case "p":
          endParagraph();
          break;
        case "tr":
          tell((cells ?? []).filter(Boolean).join(" | "));
          cells = undefined;
      }
    },
  } satisfies XmlHandler;
}
