import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { serveProbe } from "../support/probe.js";

type Json = any;

/** What a defect makes of a request and of its answer. */
export interface Defect {
  /** The requirement that it breaks. */
  readonly breaks: string;
  /** The version in which it shows, when it is not that of today. */
  readonly protocol?: string;
  /** The level of that requirement; MUST otherwise. */
  readonly level?: "SHOULD" | "AMBIGUOUS";
  /** Seconds after which the agent is taken not to answer. */
  readonly responseTimeout?: number;
  /** Changes the query before the agent sees it. */
  readonly query?: (query: URLSearchParams) => void;
  /** Changes the request before the agent sees it. */
  readonly request?: (params: Json, headers: Record<string, string>) => void;
  /** Changes an answer before its caller sees it. */
  readonly answer?: (body: Json, headers: Headers) => void;
  /** Changes the text of an answer, or of an event of a stream. */
  readonly text?: (body: string, isFirst: boolean) => string;
}

/** Changes every object inside a value that has a member. */
export function each(value: Json, name: string, change: (holder: Json) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, name)) change(value);
  for (const inner of Object.values(value)) each(inner, name, change);
}

/** Two who are known to the agent. */
export const callers = {
  credentials: { bearer: "alice-token" },
  otherCredentials: { bearer: "bob-token" },
};

/** Things that agents get wrong. */
export const defects: Readonly<Record<string, Defect>> = {
  "a missing role is made up": {
    breaks: "OP-SEND-19",
    request: ({ message }) => {
      if (message?.parts && !message.role) message.role = "ROLE_USER";
    },
  },
  "a message to a task that has ended begins a new one": {
    breaks: "OP-SEND-04",
    request: ({ message }) => {
      if (message) delete message.taskId;
    },
  },
  "the version of a request is not looked at": {
    breaks: "VER-09",
    request: (_, headers) => {
      headers["a2a-version"] = "1.0";
    },
  },
  "an empty page token is left out": {
    breaks: "OP-LIST-03",
    answer: (body) => each(body, "nextPageToken", (page) => page.nextPageToken || delete page.nextPageToken),
  },
  "a list always has artifacts": {
    breaks: "OP-LIST-04",
    answer: (body) =>
      each(body, "tasks", ({ tasks }) => {
        for (const task of tasks) task.artifacts ??= [];
      }),
  },
  "tasks have a kind": {
    breaks: "OBJT-04",
    answer: (body) =>
      each(body, "status", (task) => {
        if (task.id) task.kind = "task";
      }),
  },
  "the first event of a stream is lost": {
    breaks: "OP-STREAM-04",
    text: (body, isFirst) => (isFirst && body.startsWith("id: ") ? "" : body),
  },
  "numbers of requests come back as texts": {
    breaks: "RPC-04",
    answer: (body) =>
      each(body, "jsonrpc", (envelope) => {
        envelope.id = String(envelope.id);
      }),
  },
  "errors do not say their reason": {
    breaks: "ERR-08",
    answer: (body) =>
      each(body, "details", (error) => {
        error.details = [];
      }),
  },
  "405 does not say what is allowed": {
    breaks: "RPC-18",
    answer: (_, headers) => headers.delete("allow"),
  },
  "timestamps have an offset": {
    breaks: "JSONV-12",
    answer: (body) =>
      each(body, "timestamp", (status) => {
        status.timestamp = status.timestamp.replace("Z", "+00:00");
      }),
  },
  "what cannot be canceled is said to be gone": {
    breaks: "OP-CANCEL-02",
    text: (body) => body.replaceAll("-32002", "-32001").replaceAll("TASK_NOT_CANCELABLE", "TASK_NOT_FOUND"),
  },
  "anybody may read any task": {
    breaks: "AUTHZ-02",
    request: ({ id }, headers) => {
      if (id) headers.authorization = `Bearer ${callers.credentials.bearer}`;
    },
  },
  "a list of a context has the tasks of everybody": {
    breaks: "AUTHZ-01",
    request: ({ contextId }, headers) => {
      if (contextId) headers.authorization = `Bearer ${callers.credentials.bearer}`;
    },
  },
  "a page token opens what its owner may see": {
    breaks: "PAGE-10",
    request: ({ pageToken }, headers) => {
      if (pageToken) headers.authorization = `Bearer ${callers.credentials.bearer}`;
    },
  },
  "an earlier version is answered in states of today": {
    breaks: "LEG-02",
    protocol: "0.3",
    text: (body) => body.replaceAll('"state":"completed"', '"state":"TASK_STATE_COMPLETED"'),
  },
  "the last event of an earlier version does not say so": {
    breaks: "VER-08",
    protocol: "0.3",
    text: (body) => body.replaceAll('"final":true', '"final":false'),
  },
  "a task of the draft does not get the id of its caller": {
    breaks: "VER-08",
    protocol: "0.1",
    request: (params) => {
      if (params.sessionId) params.id = crypto.randomUUID();
    },
  },
  "line breaks in a token are dropped without a word": {
    breaks: "SEC-15",
    request: (params) => {
      if (params.token) [params.token] = params.token.split(/[\r\n]/);
    },
  },
  "pieces of an artifact are stored twice": {
    breaks: "ART-01",
    answer: (body) =>
      each(body, "artifacts", ({ artifacts }) => {
        for (const artifact of artifacts) artifact.parts.push(...artifact.parts);
      }),
  },
  "webhooks may point to this machine": {
    breaks: "SEC-04",
    request: (params) => {
      if (/\/\/(127|10|169|\[)/.test(params.url)) params.url = "https://hooks.example.invalid/";
    },
  },
};

/** The probe agent behind somebody who spoils what it says. */
export async function serveSpoiled(t: Pick<TestContext, "onTestFinished">) {
  let defect: Defect | undefined;
  const proxy = createServer(async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    for (const name of ["host", "connection", "content-length"]) delete headers[name];
    const sent = parsed(Buffer.concat(chunks).toString());
    defect?.request?.(Object(sent.value?.params ?? sent.value), headers);
    const { method = "GET" } = request;
    const target = new URL(probe + request.url);
    defect?.query?.(target.searchParams);
    const answer = await fetch(target, {
      ...{ method, headers, signal: gone.signal },
      ...(chunks.length > 0 && { body: sent.value === undefined ? sent.text : JSON.stringify(sent.value) }),
    }).catch(() => undefined);
    // The caller has gone away.
    if (answer === undefined) return;
    const fields = new Headers(answer.headers);
    if (answer.body !== null && fields.get("content-type")?.startsWith("text/event-stream")) {
      response.writeHead(answer.status, { "content-type": "text/event-stream" });
      return spoilStream(answer.body, defect, response);
    }
    const received = parsed(await answer.text());
    defect?.answer?.(received.value, fields);
    const text = received.value === undefined ? received.text : JSON.stringify(received.value);
    for (const name of ["content-length", "transfer-encoding", "connection"]) fields.delete(name);
    response.writeHead(answer.status, Object.fromEntries(fields)).end(defect?.text?.(text, true) ?? text);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  t.onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const probe = await serveProbe(t, { AUTH: "bearer", VERSIONS: "1.0,1.1-draft,0.3,0.1", PUBLIC_URL: url });
  const suffer = (one: Defect | undefined) => {
    defect = one;
  };
  return { url: new URL(url), suffer };
}

/** Passes a stream on event by event; whoever reads it may go away. */
async function spoilStream(
  body: ReadableStream<Uint8Array>,
  defect: Defect | undefined,
  response: ServerResponse,
): Promise<void> {
  let rest = "";
  let isFirst = true;
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const text = `${event}\n\n`;
        response.write(defect?.text?.(text, isFirst) ?? text);
        isFirst = false;
      }
    }
    response.end(rest);
  } catch {
    response.destroy();
  }
}

function parsed(text: string): { text: string; value?: Json } {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { text };
  }
}
