import { CODING_AGENTS, snippetOf } from "./coding-agents.ts";

const CONSENT = `- In the browser: give your client the address alone. It registers itself, and a person consents at this server.`;

/** The setup instructions for this server's address. */
export function setupPrompt(
  template: string,
  { base, endpoint, has_oauth }: { base: string; endpoint: string; has_oauth: boolean },
): string {
  const connection = { url: endpoint, token: "TROUPE_TOKEN" };
  const agents = CODING_AGENTS.map((agent) => {
    const language = agent.json_key === undefined ? "toml" : "jsonc";
    const snippet = snippetOf(agent, connection);
    return `${agent.title} (\`troupe setup ${agent.id}\`), in \`${agent.file.linux}\`:\n\n\`\`\`${language}\n${snippet}\n\`\`\``;
  });
  return template
    .replaceAll("{{base}}", base)
    .replaceAll("{{endpoint}}", endpoint)
    .replace("{{oauth}}\n", has_oauth ? `${CONSENT}\n` : "")
    .replace("{{agents}}", () => agents.join("\n\n"));
}
