import type { LocalSessionPolicy } from "#engine/auth/local-session.ts";
import type { OAuthAddress } from "../http/oauth-place.ts";
import type { Route } from "../http/route.ts";
import { agentRoutes } from "./agents.ts";
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { chatRoutes } from "./chat.ts";
import { configRoutes } from "./config.ts";
import { healthRoutes } from "./health.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { knowledgeGraphRoutes } from "./knowledge-graphs.ts";
import { mcpServerRoutes } from "./mcp-servers.ts";
import { modelRoutes } from "./models.ts";
import { oauthRoutes } from "./oauth.ts";
import { resilienceRoutes } from "./resilience.ts";
import { schemaRoutes } from "./schemas.ts";
import { sessionRoutes } from "./sessions.ts";
import { settingRoutes } from "./settings.ts";
import { taskRoutes } from "./tasks.ts";
import { toolRoutes } from "./tools.ts";
import { usageRoutes } from "./usage.ts";
import { widgetRoutes } from "./widget.ts";

/** For who only looks at the table. */
const NO_ADDRESS: OAuthAddress = { cors_origins: [], is_authorization_server: false };

/** The whole REST surface: a table of contents. */
export const routesOf = (
  policy: LocalSessionPolicy,
  address: OAuthAddress = NO_ADDRESS,
): readonly Route[] => [
  ...healthRoutes,
  ...authRoutes(policy),
  ...oauthRoutes(address),
  ...modelRoutes,
  ...agentRoutes,
  ...knowledgeRoutes,
  ...knowledgeGraphRoutes,
  ...mcpServerRoutes,
  ...schemaRoutes,
  ...chatRoutes,
  ...sessionRoutes,
  ...taskRoutes,
  ...configRoutes,
  ...settingRoutes,
  ...auditRoutes,
  ...toolRoutes,
  ...usageRoutes,
  ...resilienceRoutes,
  ...widgetRoutes,
];
