import type { Workload } from "./workload.js";
import { chunks } from "./workloads/chunks.js";
import { echoHttpJson, echoJsonRpc } from "./workloads/echo.js";
import { fanOut } from "./workloads/fan-out.js";
import { getTask } from "./workloads/get-task.js";
import { storedTask } from "./workloads/stored-task.js";
import { streams } from "./workloads/streams.js";

/** All workloads in the order in which they are run and shown. */
export const suite: readonly Workload[] = [
  echoJsonRpc,
  echoHttpJson,
  storedTask,
  getTask,
  streams,
  fanOut,
  chunks,
];
