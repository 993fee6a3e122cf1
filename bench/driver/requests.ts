import { randomUUID } from "node:crypto";
import type { Ready } from "../targets/control.js";

/** A value for JSON. */
export type Params = Readonly<Record<string, unknown>>;

/** The bytes of a POST with a JSON body. */
export function post(path: string, body: string, type = "application/json"): Buffer {
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nA2A-Version: 1.0\r\n` +
      `Accept: application/json, text/event-stream\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
}

/** A JSON-RPC call of a method. */
export function call({ jsonRpc }: Ready, method: string, params: Params): Buffer {
  return post(jsonRpc, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

/** The parameters of a message with a text. */
export function message(text: string): Params {
  return { message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] } };
}

/** A message over JSON-RPC. */
export function send(ready: Ready, text: string, method = "SendMessage"): Buffer {
  return call(ready, method, message(text));
}
