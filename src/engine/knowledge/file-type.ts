import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";

const GENERIC = "application/octet-stream";

const office = (kind: string): readonly string[] => [
  `application/vnd.openxmlformats-officedocument.${kind}`,
  "application/zip",
  GENERIC,
];

/** What each kind of file may be declared as (contract 2.13). */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  txt: ["text/plain"],
  md: ["text/plain", "text/markdown", GENERIC],
  csv: ["text/csv", "text/plain", "application/csv", GENERIC],
  html: ["text/html", "application/xhtml+xml", "text/plain", GENERIC],
  json: ["application/json", "text/json", "text/plain", GENERIC],
  yaml: [
    "application/yaml",
    "application/x-yaml",
    "text/yaml",
    "text/x-yaml",
    "text/plain",
    GENERIC,
  ],
  pdf: ["application/pdf", GENERIC],
  docx: office("wordprocessingml.document"),
  xlsx: office("spreadsheetml.sheet"),
  pptx: office("presentationml.presentation"),
};
const OFFICE = new Set(["docx", "xlsx", "pptx"]);
const ALIASES: Readonly<Record<string, string>> = { htm: "html", yml: "yaml", markdown: "md" };

/** Every extension of a file that can be read. */
export const FILE_EXTENSIONS = [...Object.keys(DECLARED), ...Object.keys(ALIASES)];

/** The name without its folders, as it is kept. Throws `bad_request` when nothing is left of it. */
export function baseNameOf(given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? "").replaceAll("..", "").replace(/\p{Cc}/gu, "");
  if (name.trim() === "" || name === ".") throw badRequest("file: has no usable name");
  return name.slice(-LIMITS.file_name_characters);
}

/** By the name's extension. Throws `bad_request` for one that can't be read, or is declared otherwise. */
export function requireFileType(name: string, declared: string | undefined): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const type = ALIASES[extension] ?? extension;
  const allowed = Object.hasOwn(DECLARED, type) ? DECLARED[type] : undefined;
  if (!allowed) {
    throw badRequest(
      `file: "${name}" is of an unsupported type; send one of ${FILE_EXTENSIONS.join(", ")}`,
    );
  }
  const mime = declared?.split(";")[0]?.trim().toLowerCase();
  if (mime && !allowed.includes(mime))
    throw badRequest(`file: the content type ${mime} does not fit the extension .${extension}`);
  return type;
}

const PDF = "%PDF-";
const ZIP = "PK\u0003\u0004";
const OLE = "\u00d0\u00cf\u0011\u00e0";
const UTF_16 = ["\u00ff\u00fe", "\u00fe\u00ff"];
/** How a PDF may begin later than at its first byte. */
const HEAD_BYTES = 1_024;

/** Looks at what the file is, whatever it is called. Throws `bad_request`. */
export function requireContent(type: string, bytes: Uint8Array): void {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const problem = contentProblem(type, head);
  if (problem) throw badRequest(`file: its content is not ${type}: ${problem}`);
}

function contentProblem(type: string, head: string): string | undefined {
  const begins = (...signs: readonly string[]) => signs.some((sign) => head.startsWith(sign));
  if (type === "pdf") return head.includes(PDF) ? undefined : "it does not begin like a PDF";
  // A document with a password, or of the old format, is told apart when it is read.
  if (OFFICE.has(type)) return begins(ZIP, OLE) ? undefined : "it does not begin like a document";
  if (begins(PDF)) return "it is a PDF";
  if (begins(ZIP)) return "it is an archive";
  return head.includes("\0") && !begins(...UTF_16) ? "it holds binary data" : undefined;
}
