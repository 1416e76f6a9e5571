import {
  deleteAgentFile,
  getAgentKnowledge,
  listAgentFiles,
  uploadAgentFile,
} from "#engine/knowledge/agent-operations.ts";
import { deleteFile, getFile, listFiles, uploadFile } from "#engine/knowledge/file-operations.ts";
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  linkAgent,
  listKnowledgeBases,
  patchKnowledgeBase,
  replaceKnowledgeBase,
  unlinkAgent,
} from "#engine/knowledge/operations.ts";
import { searchBase } from "#engine/knowledge/search-operation.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const knowledgeRoutes: readonly Route[] = [
  get("/knowledge-bases", listKnowledgeBases),
  post("/knowledge-bases", createKnowledgeBase, { status: 201 }),
  get("/knowledge-bases/:name", getKnowledgeBase),
  put("/knowledge-bases/:name", replaceKnowledgeBase),
  patch("/knowledge-bases/:name", patchKnowledgeBase),
  del("/knowledge-bases/:name", deleteKnowledgeBase, { status: 200 }),
  post("/knowledge-bases/:name/agents/:agent_name", linkAgent),
  del("/knowledge-bases/:name/agents/:agent_name", unlinkAgent, { status: 200 }),
  get("/knowledge-bases/:name/search", searchBase),
  get("/knowledge-bases/:name/files", listFiles),
  post("/knowledge-bases/:name/files", uploadFile, { status: 201, takes_file: true }),
  get("/knowledge-bases/:name/files/:file_id", getFile),
  del("/knowledge-bases/:name/files/:file_id", deleteFile, { status: 200 }),
  get("/agents/:name/knowledge/status", getAgentKnowledge),
  get("/agents/:name/knowledge/files", listAgentFiles),
  post("/agents/:name/knowledge/files", uploadAgentFile, { status: 201, takes_file: true }),
  del("/agents/:name/knowledge/files/:file_id", deleteAgentFile, { status: 200 }),
];
