import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Busboy, type BusboyConfig } from "@fastify/busboy";
import { badRequest } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import type { HttpContext } from "./route.ts";

export interface UploadedFile {
  readonly file_name: string;
  readonly content_type: string | undefined;
  /** Comes in as it is read; throws `bad_request` when the request breaks off. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** What else a request may hold beside its file. */
const OVERHEAD_BYTES = 65_536;
const FIELD = "file";

/** The file of a multipart request, as soon as its head is there. Throws `bad_request`. */
export async function readUpload(http: HttpContext): Promise<UploadedFile> {
  const type = http.req.header("Content-Type") ?? "";
  const { body } = http.req.raw;
  if (!/^multipart\/form-data\s*;/i.test(type) || !body)
    throw badRequest(`send the file as multipart/form-data, in the field "${FIELD}"`);
  const declared = Number(http.req.header("Content-Length") ?? 0);
  if (declared > LIMITS.upload_bytes + OVERHEAD_BYTES)
    throw badRequest(`file: is larger than ${LIMITS.upload_bytes} bytes`);
  const parser = openParser({ "content-type": type });
  const source = Readable.fromWeb(body as ReadableStream);
  const found = Promise.withResolvers<UploadedFile>();
  let stream: Readable | undefined;
  parser.on("file", (field, file, file_name, _encoding, content_type) => {
    if (field !== FIELD || stream) return void file.resume();
    stream = file;
    const content_type_given = hasType(file_name, content_type) ? content_type : undefined;
    found.resolve({ file_name: file_name ?? "", content_type: content_type_given, content: file });
  });
  pipeline(source, parser).then(
    () => found.reject(badRequest(`${FIELD}: is required`)),
    (cause: unknown) => {
      const error = badRequest("the upload broke off, or is no valid multipart body", { cause });
      found.reject(error);
      stream?.destroy(error);
    },
  );
  return found.promise;
}

/** The parser says text/plain where a part says nothing. */
const hasType = (file_name: string | undefined, content_type: string): boolean =>
  content_type !== "text/plain" || /\.txt$/i.test(file_name ?? "");

function openParser(headers: BusboyConfig["headers"]): InstanceType<typeof Busboy> {
  try {
    const fileSize = LIMITS.upload_bytes + 1;
    return new Busboy({ headers, limits: { files: 1, fields: 16, parts: 32, fileSize } });
  } catch (cause) {
    throw badRequest("the multipart body has no boundary", { cause });
  }
}
