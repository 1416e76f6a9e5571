import { z } from "zod";
import { BaseCreate, BaseLinkKey } from "#engine/knowledge/base.ts";
import type { KnowledgeFile } from "#engine/knowledge/file.ts";
import { deleteFile, listFiles, uploadFile } from "#engine/knowledge/file-operations.ts";
import {
  createKnowledgeBase,
  linkAgent,
  listKnowledgeBases,
} from "#engine/knowledge/operations.ts";
import { ModelReference } from "#engine/models/model.ts";
import { listModels } from "#engine/models/operations.ts";
import { listTool, type McpTool, renamed, type ToolContext, tool } from "../tool.ts";

const BaseName = BaseCreate.shape.name.describe("The knowledge base's name");
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  csv: "text/csv",
};

type File = z.output<typeof KnowledgeFile>;

/** As in the contract (4.14), where a file is called a document. */
const toDocument = ({ id, file_name, file_type, status, chunk_count }: File) => ({
  document_id: id,
  file_name,
  file_type,
  status,
  chunk_count,
});

export const knowledgeTools: readonly McpTool[] = [
  listTool(
    "admin_list_knowledge_bases",
    listKnowledgeBases,
    "knowledge_bases",
    ({ name, id, file_count, linked_agents }) =>
      `${name} (${id}): ${file_count} documents, searched by ${linked_agents.join(", ") || "no agent"}`,
  ),
  tool(
    "admin_create_knowledge_base",
    createKnowledgeBase,
    z.object({
      name: BaseName,
      description: BaseCreate.shape.description,
      embedding_model: ModelReference.optional().describe(
        "An embedding model's name or id; the only one there is when absent",
      ),
    }),
    {
      toInput: async ({ name, description, embedding_model }, context) => ({
        name,
        description,
        embedding_model_id: embedding_model ?? (await onlyEmbeddingModel(context)),
      }),
      toStructured: (output) => {
        const { id, name, embedding_model_id } = output as Record<string, unknown>;
        return {
          knowledge_base_id: id,
          name,
          embedding_model_id,
          next_steps: [
            `Add documents: admin_add_document with kb_name "${name}".`,
            `Let an agent search them: admin_link_knowledge_base with kb_name "${name}".`,
          ],
        };
      },
    },
  ),
  tool(
    "admin_add_document",
    uploadFile,
    z.object({
      kb_name: BaseName,
      file_name: z.string().min(1).describe("With or without its extension"),
      content: z.string().min(1).describe("The document's whole text"),
      file_type: z.enum(["md", "txt", "csv"]),
    }),
    {
      description: "Add a text document to a knowledge base; it is indexed afterwards",
      toInput: ({ kb_name, file_name, content, file_type }) => ({
        name: kb_name,
        file_name: withExtension(String(file_name), String(file_type)),
        content_type: CONTENT_TYPES[String(file_type)],
        content: bytesOf(String(content)),
      }),
      toStructured: (output) => {
        const { chunk_count, file_type, ...document } = toDocument(output as File);
        return {
          ...document,
          note: "Indexing goes on; admin_list_documents tells when it is ready.",
        };
      },
    },
  ),
  tool(
    "admin_delete_document",
    deleteFile,
    z.object({ kb_name: BaseName, file_id: z.string().min(1) }),
    { toInput: renamed({ kb_name: "name" }) },
  ),
  tool(
    "admin_link_knowledge_base",
    linkAgent,
    z.object({ kb_name: BaseName, agent_name: BaseLinkKey.shape.agent_name }),
    { toInput: renamed({ kb_name: "name" }) },
  ),
  tool("admin_list_documents", listFiles, z.object({ kb_name: BaseName }), {
    toInput: renamed({ kb_name: "name" }),
    toStructured: (output, { kb_name }) => ({
      kb_name,
      documents: (output as File[]).map(toDocument),
    }),
  }),
];

async function onlyEmbeddingModel({ call }: ToolContext): Promise<number | undefined> {
  const models = await call(listModels, { kind: "embedding" });
  return models.length === 1 ? models[0]?.id : undefined;
}

const withExtension = (file_name: string, file_type: string): string =>
  file_name.toLowerCase().endsWith(`.${file_type}`) ? file_name : `${file_name}.${file_type}`;

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
