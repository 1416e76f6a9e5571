import { z } from "zod";
import { badRequest } from "#engine/kernel/error.ts";
import { ModelCreate, ModelReference } from "#engine/models/model.ts";
import { createModel, deleteModel, listModels, patchModel } from "#engine/models/operations.ts";
import { listTool, type McpTool, tool } from "../tool.ts";

const { name, type, kind, model_name, base_url, api_key, is_default } = ModelCreate.shape;
const Key = z.object({ model_id: ModelReference.describe("The model's id or name") });

const byReference = ({ model_id, ...given }: Record<string, unknown>) => ({
  ...given,
  name: String(model_id),
});

export const modelTools: readonly McpTool[] = [
  listTool(
    "admin_list_models",
    listModels,
    "models",
    ({ id, is_default: is_first, ...model }) =>
      `${model.name} (${id}): ${model.type} ${model.model_name}, ${model.kind}${is_first ? ", the default" : ""}`,
  ),
  tool(
    "admin_create_model",
    createModel,
    z.object({ name, type, kind, model_name, base_url, api_key, is_default }),
  ),
  tool(
    "admin_update_model",
    patchModel,
    z
      .object({ type, model_name, name, kind, base_url, api_key, is_default })
      .partial()
      .extend(Key.shape),
    {
      description: "Change a model: what is left out stays, and the key only with a new one",
      toInput: ({ name: rename, ...given }) => ({
        ...byReference(given),
        ...(rename === undefined ? {} : { rename }),
      }),
    },
  ),
  tool("admin_delete_model", deleteModel, Key, { toInput: byReference }),
  tool(
    "admin_set_default_model",
    patchModel,
    z.object({ name: z.string().min(1), model_id: ModelReference }).partial(),
    {
      description: "Make a chat model the default, by name or model_id",
      toInput: ({ name: called, model_id }) => {
        const reference = model_id ?? called;
        if (reference === undefined) throw badRequest("name: is required, or model_id");
        return { name: String(reference), is_default: true };
      },
    },
  ),
];
