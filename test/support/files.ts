import { vi } from "vitest";
import type { Caller, TestApp, TestResponse } from "./app.ts";

export interface GivenFile {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
}

const toForm = ({ name, content, type = declared(name) }: GivenFile, field: string): FormData => {
  const form = new FormData();
  form.append(field, new Blob([content], type === undefined ? {} : { type }), name);
  return form;
};

/** Programs that know no better call anything but a text a stream of bytes. */
const declared = (name: string) => (name.endsWith(".txt") ? "text/plain" : undefined);

/** Sends a file as a browser does. */
export const upload = (
  caller: Caller,
  file: GivenFile,
  path = "/knowledge-bases/manuals/files",
  field = "file",
): Promise<TestResponse> => caller.postForm(path, toForm(file, field));

/** Uploads a file and waits until it is indexed, or has failed. */
export async function index(caller: Caller, file: GivenFile, base = "manuals") {
  const path = `/knowledge-bases/${base}/files`;
  const { body } = await upload(caller, file, path);
  return settled(caller, `${path}/${body.id}`);
}

export const settled = (caller: Caller, path: string) =>
  vi.waitFor(async () => {
    const { body } = await caller.get(path);
    if (body.status === "indexing") throw new Error("it is still being indexed");
    return body;
  });

/** The knowledge base `manuals`, which the agent `helper` may search. */
export async function withManuals<App extends TestApp & { readonly admin: Caller }>(
  app: App,
  base: object = {},
): Promise<App> {
  await app.admin.post("/knowledge-bases", { name: "manuals", ...base });
  await app.admin.post("/knowledge-bases/manuals/agents/helper");
  return app;
}
