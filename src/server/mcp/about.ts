/** What the MCP server tells of itself, also where nobody speaks MCP. */
export const MCP_SERVER_NAME = "troupe";
export const MCP_SERVER_TITLE = "troupe provisioning";

export const MCP_INSTRUCTIONS = [
  "Sets up AI agents on this troupe server.",
  "Begin with provision_agent: it creates an agent and a schema that people chat with.",
  "Give it documents with admin_create_knowledge_base, admin_add_document and admin_link_knowledge_base.",
  "get_embed_snippet makes a chat token and a script tag for a web page; both are shown once.",
  "Look at what there is with the admin_list_… tools before you change it.",
].join(" ");
