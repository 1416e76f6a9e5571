import { Unzip, type UnzipFileInfo, UnzipInflate, unzipSync } from "fflate";
import { Parser } from "htmlparser2";

/** What a file may swell to when it is unpacked; what it says of itself is not believed. */
const UNPACKED_BYTES_MAX = 100 * 1024 * 1024;
/** Fed in such parts, a bomb is noticed before it has gone off. */
const PART_BYTES = 16 * 1024;
const OLE = [0xd0, 0xcf, 0x11, 0xe0];

/** Throws for what is no archive of a bearable size. */
export function requireArchive(bytes: Uint8Array, format: string): void {
  if (OLE.every((byte, index) => bytes[index] === byte)) {
    throw new Error(
      `it has a password, or is in the format before .${format}; save it as plain .${format}`,
    );
  }
  refuseBomb(bytes);
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

/** A part of an Office file that another one names. */
export interface Related {
  /** The last word of its kind, such as `slide` or `notesSlide`. */
  readonly type: string;
  readonly path: string;
}

/** The XML parts of an Office file, by their paths. */
export interface OfficePackage {
  /** Throws when there is none. */
  read(path: string, handler: XmlHandler): void;
  has(path: string): boolean;
  /** What a part names, by the ids it uses for that. */
  related(path: string): ReadonlyMap<string, Related>;
  /** The part that the file begins with. */
  readonly main: string;
}

/** Names come without their prefixes, which every program chooses for itself. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

export function openOffice(bytes: Uint8Array, format: string): OfficePackage {
  requireArchive(bytes, format);
  const parts = unzipSync(bytes, { filter: isReadable });
  const has = (path: string) => Object.hasOwn(parts, path);
  const read = (path: string, handler: XmlHandler) => {
    const part = parts[path];
    if (!part) throw new Error(`its part ${path} is missing`);
    readXml(new TextDecoder().decode(part), handler);
  };
  const related = (path: string) => relatedOf({ has, read }, path);
  const main = [...related("").values()].find(({ type }) => type === "officeDocument")?.path;
  if (main === undefined) throw new Error("it is no Office file");
  return { read, has, related, main };
}

/** Room for a part is made by the size that it claims, so that must not be believed either. */
const isReadable = ({ name, originalSize }: UnzipFileInfo): boolean =>
  /\.(xml|rels)$/i.test(name) && originalSize <= UNPACKED_BYTES_MAX;

function relatedOf(
  { has, read }: Pick<OfficePackage, "has" | "read">,
  path: string,
): Map<string, Related> {
  const related = new Map<string, Related>();
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const list = `${folder}_rels/${path.slice(folder.length)}.rels`;
  if (!has(list)) return related;
  read(list, {
    open(name, { Id = "", Type = "", Target = "", TargetMode }) {
      if (name !== "Relationship" || TargetMode === "External") return;
      const type = Type.slice(Type.lastIndexOf("/") + 1);
      related.set(Id, { type, path: resolvePath(folder, Target) });
    },
  });
  return related;
}

/** Like a web address, within the file. */
const resolvePath = (folder: string, target: string): string =>
  decodeURIComponent(new URL(target, `file:///${folder}`).pathname.slice(1));

function readXml(xml: string, { open, text, close }: XmlHandler): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(localName(name), withLocalNames(attributes)),
      ontext: (data) => text?.(data),
      onclosetag: (name) => close?.(localName(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** `r:id` becomes `r_id`, as many an element has an `id` of its own beside it. */
const withLocalNames = (attributes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.replace(/^r:/, "r_"), value]),
  );
