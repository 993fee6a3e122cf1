import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { TestContext } from "vitest";
import type { HandlerAgent } from "../../src/agent/define-agent.js";
import type { CardInput } from "../../src/card/build-card.js";
import { anonymous, type CallContext } from "../../src/protocol/call-context.js";
import type { Logger } from "../../src/protocol/logger.js";
import type { SendMessageRequest, StreamResponse, Task } from "../../src/protocol/model.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";
import type { Agents, ServeOptions } from "../../src/server/index.js";
import { type Limits, resolveLimits } from "../../src/server/limits.js";
import { Outgoing } from "../../src/server/outgoing/outgoing.js";
import { OutgoingAnswer } from "../../src/server/outgoing/outgoing-answer.js";
import { input } from "../card/sample-card.js";
import { serveHere, type TestServer } from "../support/hosts.js";

export const version = { "A2A-Version": "1.0" };
export const json = { ...version, "Content-Type": "application/json" };

/** A task in working order. */
export function taskNamed(id: string): Task {
  return {
    id,
    contextId: "c",
    status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-31T12:00:00.000Z" },
  };
}

/** Answers with tasks named by what was asked, and streams what a script says. */
export class ScriptedHandler extends UnimplementedHandler<CallContext> {
  readonly name: string;
  script: (call: CallContext) => AsyncIterable<StreamResponse>;

  constructor(name = "scripted", script?: (call: CallContext) => AsyncIterable<StreamResponse>) {
    super();
    this.name = name;
    this.script =
      script ??
      async function* () {
        yield { task: taskNamed("streamed") };
      };
  }

  override async sendMessage({ message }: SendMessageRequest) {
    return { message: { messageId: "r", role: "ROLE_AGENT" as const, parts: message.parts } };
  }

  override async getTask({ id }: { id: string }) {
    return taskNamed(`${this.name}/${id}`);
  }

  override sendStreamingMessage(_: SendMessageRequest, call: CallContext) {
    return this.script(call);
  }

  override subscribeToTask(_: unknown, call: CallContext) {
    return this.script(call);
  }
}

export function scripted(
  handler: HandlerAgent["handler"] = new ScriptedHandler(),
  card: Partial<CardInput> = {},
) {
  return { card: { ...input, ...card }, handler } satisfies HandlerAgent;
}

/** Serves for one test. */
export async function serveFor(t: TestContext, agents: Agents, options?: ServeOptions): Promise<TestServer> {
  const server = await serveHere(agents, options);
  t.onTestFinished(() => server.close(0));
  return server;
}

/** The body of a SendMessage or SendStreamingMessage call. */
export function callText(method: string, text = "hi", id: string | number = 1): string {
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] };
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { message } });
}

/** Opens a connection and writes a request as it stands. A server may reset the connection: only its readers fail then. */
export async function write(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** Reads a connection until what came satisfies `enough`, or until it ends. */
export async function readUntil(
  socket: Socket,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (enough(text)) return text;
  }
  return text;
}

/** A request line with headers and a body. */
export function request(line: string, headers: Record<string, string> = {}, body = ""): string {
  const fields = {
    Host: "localhost",
    ...headers,
    ...(body !== "" && { "Content-Length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${[`${line} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** An answer whose bytes are counted by default limits, or those given. */
export function answerOf(res: ServerResponse, limits: Limits = {}, address = "127.0.0.1"): OutgoingAnswer {
  return new OutgoingAnswer(new Outgoing(resolveLimits(limits)), { principal: anonymous, address }, res);
}

/** Keeps what was logged. */
export function notebook() {
  const entries: { level: keyof Logger; facts: object; text: string }[] = [];
  const note = (level: keyof Logger) => (facts: object, text: string) => {
    entries.push({ level, facts, text });
  };
  const logger: Logger = {
    debug: note("debug"),
    info: note("info"),
    warn: note("warn"),
    error: note("error"),
  };
  return {
    entries,
    logger,
    texts: (level: keyof Logger) => entries.filter((one) => one.level === level).map((one) => one.text),
  };
}

/** Waits for a condition that the next turns of the event loop bring about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
