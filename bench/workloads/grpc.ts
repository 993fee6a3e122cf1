import { randomUUID } from "node:crypto";
import { framed, GrpcConnection, type GrpcReader } from "../driver/grpc.js";
import { cpuFor } from "../driver/load.js";
import type { Server } from "../driver/server.js";
import type { Workload } from "../workload.js";
import { oncePerTurn } from "./pace.js";

const CONNECTIONS = 16;
const COUNT = 750;
const STREAMS = 16;
const EVENTS = 500;
/** The published SDK copies all that there is for each event: a part flatters it. */
const PART_OF_SDK = 0.1;

const pair = { of: "parley-grpc", by: "connect-node", beside: "sdk-grpc" } as const;
const targets = ["connect-node", "sdk-grpc", "parley-grpc"] as const;

async function withConnections<Result>(
  server: Server,
  count: number,
  work: (open: readonly GrpcConnection[]) => Promise<Result>,
): Promise<Result> {
  const open = Array.from({ length: count }, () => new GrpcConnection(server));
  try {
    return await work(open);
  } finally {
    for (const connection of open) connection.close();
  }
}

/** A call that is answered with one message. */
async function echo(connection: GrpcConnection): Promise<void> {
  const reader = await whole(connection, "SendMessage", "echo How many legs has a spider?");
  if (reader.messages !== 1) throw new Error(`${reader.messages} messages`);
}

/** A message that is answered with a message: the cost of the server itself. */
export const grpcEcho: Workload = {
  name: "gRPC: echo",
  about: "A message answered with a message, 16 connections, over gRPC.",
  measures: [{ key: "cpu", label: "CPU per request", goal: 1.6 }],
  targets,
  pair,
  often: 4,
  visit: (server, { scale }) =>
    withConnections(server, CONNECTIONS, async (open) => {
      const count = COUNT * scale;
      let sent = 0;
      // Connections are open before anything is measured.
      await Promise.all(open.map(echo));
      const all = async () => {
        const loops = open.map(async (connection) => {
          while (sent < count) {
            sent += 1;
            await echo(connection);
          }
        });
        await Promise.all(loops);
      };
      return { cpu: (await cpuFor(server, all)) / count };
    }),
};

/** Several streams at a time, of progress messages. */
export const grpcStreams: Workload = {
  name: "gRPC: streams",
  about: `Progress messages over gRPC, ${oncePerTurn.says}, ${STREAMS} tasks at a time, one reader each.`,
  measures: [{ key: "cpu", label: "CPU per event", goal: 1.5 }],
  targets,
  pair,
  often: 2,
  visit: (server, { scale }) =>
    withConnections(server, STREAMS, async (open) => {
      const part = server.name === "sdk-grpc" ? PART_OF_SDK : 1;
      const events = Math.ceil(EVENTS * scale * part);
      await Promise.all(open.map(echo));
      const cpu = await cpuFor(server, async () => {
        const readers = open.map((connection) =>
          connection.call("SendStreamingMessage", framed(`events ${oncePerTurn.word}${events}`)).read(),
        );
        await Promise.all(readers.map(({ ended }) => ended));
        // Besides the words there are the task and its end.
        for (const { messages } of readers)
          if (messages !== events + 2) throw new Error(`${messages} messages of ${events + 2}`);
      });
      return { cpu: cpu / (events * STREAMS) };
    }),
};

const FLOOD = 200;
const QUICK_PART_OF_SDK = 0.5;
const MIB = 1024 * 1024;

/** A reader that stops: how much does the server keep for it? */
export const grpcSlowReader: Workload = {
  name: "gRPC: reader that stops",
  about: "200 events of 64 KiB to a reader that takes nothing, against one that takes all, over gRPC.",
  measures: [{ key: "held", label: "memory held", unit: "MiB", goal: 1 }],
  targets: ["sdk-grpc", "parley-grpc"],
  pair,
  rounds: 1,
  fresh: true,
  together: true,
  async visit(server, { scale }) {
    const isSdk = server.name === "sdk-grpc";
    const part = isSdk && scale <= 1 ? QUICK_PART_OF_SDK : 1;
    const events = FLOOD * part;
    // What is remembered for all readers grows to its bound first, which the published SDK does not have.
    for (let round = isSdk ? 3 : 0; round < 3; round += 1) await flood(server, events, false);
    const before = await server.memory();
    await flood(server, events, false);
    const read = await server.memory();
    const connection = await flood(server, events, true);
    const after = await server.memory();
    connection.close();
    return { held: (after.held - read.held - (read.held - before.held)) / MIB / part };
  },
};

/** Has a task made whose events are 64 KiB each, with one reader. Ends when the task has ended. */
async function flood(server: Server, events: number, stalled: boolean): Promise<GrpcConnection> {
  const key = randomUUID();
  const [one, other] = [new GrpcConnection(server), new GrpcConnection(server)];
  const reader = one.call("SendStreamingMessage", framed(`flood ${key} ${events}`));
  if (!stalled) reader.read();
  // The last of the opened gate's words has been said when a later request of the same kind is answered.
  await whole(other, "SendMessage", `open ${key}`);
  await whole(other, "SendStreamingMessage", `events ${events}`);
  if (!stalled) await reader.ended;
  other.close();
  if (!stalled) one.close();
  return one;
}

/** Makes a call and reads its answer to the end. */
async function whole(connection: GrpcConnection, method: string, text: string): Promise<GrpcReader> {
  const reader = connection.call(method, framed(text)).read();
  await reader.ended;
  return reader;
}
