import { LIMITS } from "#engine/kernel/limits.ts";
import {
  approveTask,
  cancelTask,
  completeTask,
  createTask,
  failTask,
  getTask,
  listSubtasks,
  listTasks,
  setTaskPriority,
  startTask,
} from "#engine/tasks/operations.ts";
import { del, get, post, type Route } from "../http/route.ts";

const body_bytes = LIMITS.task_body_bytes;

/** All answers without a body are 200 here, also to DELETE (contract 4.4). */
export const taskRoutes: readonly Route[] = [
  get("/tasks", listTasks),
  post("/tasks", createTask, { status: 201, body_bytes }),
  get("/tasks/:id", getTask),
  del("/tasks/:id", cancelTask, { status: 200, body_bytes }),
  get("/tasks/:id/subtasks", listSubtasks),
  post("/tasks/:id/approve", approveTask, { body_bytes }),
  post("/tasks/:id/start", startTask, { body_bytes }),
  post("/tasks/:id/complete", completeTask, { body_bytes }),
  post("/tasks/:id/fail", failTask, { body_bytes }),
  post("/tasks/:id/priority", setTaskPriority, { body_bytes }),
];
