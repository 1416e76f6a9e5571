import type { EntitySchemas } from "./entity-schemas.ts";

/** The validator is large, so it is only loaded by who works with knowledge graphs, and then once. */
export type OpenEntitySchemas = () => Promise<EntitySchemas>;

export function entitySchemasOnDemand(): OpenEntitySchemas {
  let opened: Promise<EntitySchemas> | undefined;
  return () => {
    opened ??= import("./entity-schemas.ts").then((module) => module.createEntitySchemas());
    return opened;
  };
}
