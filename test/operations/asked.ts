import { connect, type Socket } from "node:net";

/** A request as it is written to a connection. */
export interface Asked {
  readonly name: string;
  readonly verb?: "GET" | "POST";
  readonly path?: (id: string) => string;
  readonly version?: string;
  readonly call?: (id: string) => object;
}

const rpc = (name: string, version: string | undefined, method: string, more = {}): Asked => ({
  name: `${name}, ${method}`,
  ...(version !== undefined && { version }),
  call: (id) => ({ jsonrpc: "2.0", id: 1, method, params: { id, ...more } }),
});

/** A task read, in every version and over every binding. */
export const reads: readonly Asked[] = [
  rpc("1.0", "1.0", "GetTask"),
  { name: "1.0 over HTTP+JSON", version: "1.0", verb: "GET", path: (id) => `/tasks/${id}` },
  rpc("0.3", "0.3", "tasks/get"),
  { name: "0.3 over HTTP+JSON", verb: "GET", path: (id) => `/v1/tasks/${id}` },
  rpc("0.1", undefined, "tasks/get"),
];

/** A task followed, in every version and over every binding. */
export const subscriptions: readonly Asked[] = [
  rpc("1.0", "1.0", "SubscribeToTask"),
  { name: "1.0 over HTTP+JSON", version: "1.0", path: (id) => `/tasks/${id}:subscribe` },
  rpc("0.3", "0.3", "tasks/resubscribe"),
  { name: "0.3 over HTTP+JSON", path: (id) => `/v1/tasks/${id}:subscribe` },
  rpc("0.1", undefined, "tasks/resubscribe"),
];

/** The text of a request. */
export function textOf({ verb = "POST", path = () => "/", version, call }: Asked, id: string): string {
  const body = call === undefined ? "" : JSON.stringify(call(id));
  const head = [
    `${verb} ${path(id)} HTTP/1.1`,
    "Host: localhost",
    ...(version === undefined ? [] : [`A2A-Version: ${version}`]),
    ...(verb === "POST" ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Sends a request whose answer is not read. */
export function askUnread(port: number, asked: Asked, id: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(textOf(asked, id));
  return socket;
}
