import { randomUUID } from "node:crypto";

/** One of the ways in which callers send a message: a version over a binding. */
export interface Way {
  readonly name: string;
  readonly path: { readonly send: string; readonly stream: string };
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a request that sends a text. */
  body(text: string, streaming: boolean, more?: More): object;
}

/** Members that a request has besides its message. */
export interface More {
  /** Id of the JSON-RPC request. */
  readonly id?: unknown;
  /** Members of the parameters. */
  readonly params?: object;
  /** Members of the JSON-RPC request object. */
  readonly envelope?: object;
}

const newest = { "A2A-Version": "1.0" };

function overJsonRpc(name: string, headers: Way["headers"], methods: Methods, params: Params): Way {
  return {
    name: `${name} over JSON-RPC`,
    path: { send: "/", stream: "/" },
    headers,
    body: (text, streaming, more = {}) => ({
      jsonrpc: "2.0",
      id: more.id === undefined ? 1 : more.id,
      ...more.envelope,
      method: methods[streaming ? 1 : 0],
      params: { ...params(text), ...more.params },
    }),
  };
}

function overHttpJson(name: string, headers: Way["headers"], paths: Methods, params: Params): Way {
  const [send, stream] = paths;
  return {
    name: `${name} over HTTP+JSON`,
    path: { send, stream },
    headers,
    body: (text, _, more = {}) => ({ ...params(text), ...more.params }),
  };
}

type Methods = readonly [send: string, stream: string];
type Params = (text: string) => object;

const newestParams: Params = (text) => ({
  message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] },
});
const olderParams: Params = (text) => ({
  message: { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }] },
});
const draftParams: Params = (text) => ({
  id: randomUUID(),
  message: { role: "user", parts: [{ type: "text", text }] },
});
const flatParams: Params = (text) => ({
  id: randomUUID(),
  contextId: randomUUID(),
  message: { role: "user", parts: [{ text }] },
});

const draftMethods: Methods = ["tasks/send", "tasks/sendSubscribe"];

export const ways: readonly Way[] = [
  overJsonRpc("1.0", newest, ["SendMessage", "SendStreamingMessage"], newestParams),
  overHttpJson("1.0", newest, ["/message:send", "/message:stream"], newestParams),
  overJsonRpc("0.3", { "A2A-Version": "0.3" }, ["message/send", "message/stream"], olderParams),
  overHttpJson("0.3", {}, ["/v1/message:send", "/v1/message:stream"], olderParams),
  overJsonRpc("0.1", {}, draftMethods, draftParams),
  overJsonRpc("the flat dialect of 0.1", newest, draftMethods, flatParams),
];
