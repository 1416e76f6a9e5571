import type { Caller } from "./app.ts";

/** Depots and the parcels that lie in them: two types that refer to each other by `depot`. */
export const DEPOT = {
  entity_type: "depot",
  schema: {
    type: "object",
    "x-id-field": "code",
    required: ["code"],
    additionalProperties: false,
    properties: {
      code: { type: "string" },
      country: { type: "string", "x-index": true, description: "two letters" },
      size: { enum: ["small", "large", "huge"], "x-index": true },
      docks: { type: "integer", "x-index": true },
      height: { type: "number", "x-index": true },
      is_open: { type: "boolean", "x-index": true },
      built: { type: "string", format: "date", "x-index": true },
      seen: { type: "string", format: "date-time", "x-index": true },
      note: { type: "string" },
    },
  },
};

export const PARCEL = {
  entity_type: "parcel",
  schema: {
    type: "object",
    "x-id-field": "id",
    "x-summary-fields": ["id", "depot"],
    properties: {
      id: { type: "string" },
      depot: { type: "string", "x-ref": "depot", "x-index": true },
      weight: { type: "number", "x-index": true },
    },
  },
};

export const DEPOTS = [
  { code: "D1", country: "FI", size: "large", docks: 4, built: "1999-05-01", is_open: true },
  { code: "D2", country: "FI", size: "small", docks: 2, built: "2010-01-01", is_open: false },
  { code: "D3", country: "SE", size: "huge", docks: 9, built: "2020-12-31", is_open: true },
  { code: "D4", country: "NO" },
];

export const PARCELS = [
  { id: "P1", depot: "D1", weight: 1.5 },
  { id: "P2", depot: "D3", weight: 20 },
];

export const LOGISTICS = {
  version: "1.0.0",
  schemas: [DEPOT, PARCEL],
  entities: [
    { entity_type: "depot", items: DEPOTS },
    { entity_type: "parcel", items: PARCELS },
  ],
};

export const GRAPH = "/knowledge-graphs/logistics";

/** Throws when it is refused. */
export async function importBundle(admin: Caller, bundle: object = LOGISTICS, path = GRAPH) {
  const { status, body } = await admin.post(`${path}/import`, bundle);
  if (status !== 200) throw new Error(`${status}: ${body.message}`);
  return body;
}
