import type { Workload } from "./workload.js";
import { chunksAtOnce, chunksOfModel, chunksPerTurn, oneReader } from "./workloads/chunks.js";
import { coldStart } from "./workloads/cold-start.js";
import { echoHttpJson, echoJsonRpc } from "./workloads/echo.js";
import { fanOutAtOnce, fanOutOfModel, fanOutPerTurn } from "./workloads/fan-out.js";
import { finishedTasks } from "./workloads/finished-tasks.js";
import { firstEvent } from "./workloads/first-event.js";
import { getTask } from "./workloads/get-task.js";
import { grpcEcho, grpcSlowReader, grpcStreams } from "./workloads/grpc.js";
import { hosts } from "./workloads/hosts.js";
import { idleStreams } from "./workloads/idle-streams.js";
import { largeMessage, largeMessageByDefault } from "./workloads/large-message.js";
import { listTasks } from "./workloads/list-tasks.js";
import { refusals } from "./workloads/refusals.js";
import { slowReader } from "./workloads/slow-reader.js";
import { slowStore } from "./workloads/slow-store.js";
import { storedTask } from "./workloads/stored-task.js";
import { streamsAtOnce, streamsOfModel, streamsPerTurn } from "./workloads/streams.js";
import { waitingStreams } from "./workloads/waiting-streams.js";

/** All workloads in the order in which they are run and shown; those that share processes come first. */
export const suite: readonly Workload[] = [
  echoJsonRpc,
  echoHttpJson,
  storedTask,
  getTask,
  refusals,
  listTasks,
  streamsPerTurn,
  streamsAtOnce,
  streamsOfModel,
  fanOutPerTurn,
  fanOutAtOnce,
  fanOutOfModel,
  chunksPerTurn,
  chunksAtOnce,
  chunksOfModel,
  oneReader,
  firstEvent,
  largeMessage,
  largeMessageByDefault,
  waitingStreams,
  idleStreams,
  finishedTasks,
  slowReader,
  slowStore,
  coldStart,
  grpcEcho,
  grpcStreams,
  grpcSlowReader,
  ...hosts,
];
