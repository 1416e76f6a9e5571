import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** One red pixel, and a sound that is over at once. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

/** What the protocol's conformance runner expects of a server under test, and nothing of the product's. */
export function createFixtureServer(): Server {
  const server = new McpServer(
    { name: "fixtures", version: "1" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  addTools(server);
  addResources(server);
  addPrompts(server);
  server.server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server.server;
}

function addTools(server: McpServer): void {
  const answers = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [{ type: "audio" as const, data: WAV, mimeType: "audio/wav" }],
    test_embedded_resource: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  };
  for (const [name, content] of Object.entries(answers)) {
    server.registerTool(name, { description: name }, () => ({ content }));
  }
  server.registerTool("test_error_handling", { description: "Always fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addResources(server: McpServer): void {
  const about = { description: "A fixture" };
  server.registerResource("text", "test://static-text", about, ({ href: uri }) => ({
    contents: [
      { uri, mimeType: "text/plain", text: "This is the content of the static text resource." },
    ],
  }));
  server.registerResource("binary", "test://static-binary", about, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, about, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
}

function addPrompts(server: McpServer): void {
  const said = (
    ...contents: (ReturnType<typeof text> | typeof image | ReturnType<typeof resource>)[]
  ) => ({
    messages: contents.map((content) => ({ role: "user" as const, content })),
  });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () =>
    said(text("This is a simple prompt for testing.")),
  );
  const words = completable(z.string(), (begun) =>
    ["paris", "park"].filter((word) => word.startsWith(begun)),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: { arg1: words, arg2: z.string() } },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: { resourceUri: z.string() } },
    ({ resourceUri }) =>
      said(
        resource(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () =>
    said(image, text("Please analyze the image above.")),
  );
}
