import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { serveProbe } from "./probe-server.js";

type Json = any;

/** What a defect makes of a request and of its answer. */
export interface Defect {
  /** The requirement that it breaks. */
  readonly breaks: string;
  /** Changes the request before the agent sees it. */
  readonly request?: (params: Json, headers: Record<string, string>) => void;
  /** Changes an answer before its caller sees it. */
  readonly answer?: (body: Json, headers: Headers) => void;
  /** Changes the text of an answer. */
  readonly text?: (body: string) => string;
}

/** Changes every object inside a value that has a member. */
function each(value: Json, name: string, change: (holder: Json) => void): void {
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
    text: (body) => (body.startsWith("id: ") ? body.slice(body.indexOf("\n\n") + 2) : body),
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
  "webhooks may point to this machine": {
    breaks: "SEC-04",
    request: (params) => {
      if (/\/\/(127|10|169|\[)/.test(params.url)) params.url = "https://hooks.example.invalid/";
    },
  },
};

/** The probe agent behind somebody who spoils what it says. */
export async function serveSpoiled(t: TestContext) {
  let defect: Defect | undefined;
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    for (const name of ["host", "connection", "content-length"]) delete headers[name];
    const sent = parsed(Buffer.concat(chunks).toString());
    defect?.request?.(Object(sent.value?.params ?? sent.value), headers);
    const { method = "GET" } = request;
    const answer = await fetch(probe.url + request.url, {
      ...{ method, headers },
      ...(chunks.length > 0 && { body: sent.value === undefined ? sent.text : JSON.stringify(sent.value) }),
    });
    const fields = new Headers(answer.headers);
    const received = parsed(await answer.text());
    defect?.answer?.(received.value, fields);
    const text = received.value === undefined ? received.text : JSON.stringify(received.value);
    for (const name of ["content-length", "transfer-encoding", "connection"]) fields.delete(name);
    response.writeHead(answer.status, Object.fromEntries(fields)).end(defect?.text?.(text) ?? text);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const probe = await serveProbe({ AUTH: "bearer" }, url);
  t.after(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await probe.close();
  });
  const suffer = (one: Defect | undefined) => {
    defect = one;
  };
  return { url: new URL(url), suffer };
}

function parsed(text: string): { text: string; value?: Json } {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { text };
  }
}
