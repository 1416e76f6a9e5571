import { answerTasks } from "#cli/threads/worker-tasks.ts";
import {
  type EmbeddingFiles,
  embedText,
  openEmbedding,
  type TextToEmbed,
} from "#engine/embedding/thread.ts";
import {
  type ChunkRange,
  extractFile,
  type FilePart,
  type FileToExtract,
  readChunks,
  receivePart,
} from "#engine/knowledge/extraction/thread.ts";

/** What is computed off the main thread: it would stall every open stream. */
answerTasks({
  ping: async (input) => input,
  receive_part: async (input) => receivePart(input as FilePart),
  extract: (input) => extractFile(input as FileToExtract),
  read_chunks: async (input) => readChunks(input as ChunkRange),
  open_embedding: async (input) => openEmbedding(input as EmbeddingFiles),
  embed: async (input) => embedText(input as TextToEmbed),
});
