import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { emptyDatabase } from "../support/each-store.js";
import { rpcPeer, text } from "../support/peer.js";
import { withoutPostgres } from "../support/postgres.js";
import { SmallHeapServer } from "../support/small-heap.js";
import { type Asked, askUnread } from "./asked.js";
import type { Holds } from "./loop-holds.js";

/** Places for the tasks of each kind of store. */
const stores: Readonly<Record<string, () => Promise<{ place: string; remove?: () => void }>>> = {
  memory: async () => ({ place: "" }),
  SQLite: async () => {
    const { file, remove } = temporaryFile();
    return { place: file, remove };
  },
  PostgreSQL: async () => ({ place: await emptyDatabase() }),
};

/** Kinds of stores that this machine has. */
export const kinds: readonly { readonly kind: string; readonly skip: boolean }[] = Object.keys(stores).map(
  (kind) => ({ kind, skip: kind === "PostgreSQL" && withoutPostgres }),
);

/** Starts a server with a small heap and makes tasks of so many MiB on it. */
export async function serving(kind: string, tasks: number, mib: number) {
  const { place, remove } = (await stores[kind]?.()) ?? { place: "" };
  const server = await SmallHeapServer.start("test/operations/large-tasks.ts", kind, place);
  const peer = rpcPeer(server.url);
  const ids: string[] = [];
  for (let count = 0; count < tasks; count += 1) {
    const { result } = await peer.call("SendMessage", text(`large ${mib}`));
    ids.push(result.task.id);
  }
  const sockets: Socket[] = [];
  return {
    server,
    peer,
    ids,
    sockets,
    /** Sends a request and reads nothing of the answer. */
    ask(asked: Asked, index: number): void {
      sockets.push(askUnread(server.port, asked, ids[index % ids.length] ?? ""));
    },
    /** What has held the event loop since the last call. */
    async holds(): Promise<Holds> {
      return JSON.parse((await peer.call("SendMessage", text("holds"))).result.message.parts[0].text);
    },
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await server.stop();
      remove?.();
    },
  };
}

/**
 * Reads a task as a caller with another address.
 * @returns the bytes of the answer, 0 when it is an error
 */
export async function readElsewhere(port: number, id: string): Promise<number> {
  const request = httpRequest({
    ...{ port, host: "127.0.0.1", localAddress: "127.0.0.2", path: `/tasks/${id}` },
    headers: { "A2A-Version": "1.0" },
  }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let length = 0;
  for await (const chunk of response) length += chunk.length;
  return response.statusCode === 200 ? length : 0;
}

/**
 * Sends a message as a caller with another address.
 * @returns the status of the answer
 */
export async function sendFrom(localAddress: string, port: number, message: object): Promise<number> {
  const request = httpRequest({
    ...{ port, host: "127.0.0.1", localAddress, method: "POST", path: "/message:send", agent: false },
    headers: { "A2A-Version": "1.0", "Content-Type": "application/json" },
  }).end(JSON.stringify(message));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode ?? 0;
}
