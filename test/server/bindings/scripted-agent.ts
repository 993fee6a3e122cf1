import type { CallContext } from "../../../src/protocol/call-context.js";
import { type Logger, silent } from "../../../src/protocol/logger.js";
import type { AgentCapabilities, AgentCard } from "../../../src/protocol/model.js";
import {
  type A2AHandler,
  type HandlerMethod,
  handlerMethod,
  operations,
} from "../../../src/protocol/operations.js";
import { UnimplementedHandler } from "../../../src/protocol/unimplemented-handler.js";
import type { ServedAgent } from "../../../src/server/served-agent.js";
import { codec } from "../../../src/versions/v1.0/codec.js";

/** A call that reached the handler. */
export interface Seen {
  readonly method: HandlerMethod;
  readonly request: unknown;
  readonly call: CallContext;
}

/** What a scripted agent answers, by method; the other methods are not implemented. */
export type Script = Partial<A2AHandler<CallContext>>;

export interface Scripted extends ServedAgent {
  /** Calls in the order in which they came. */
  readonly seen: Seen[];
  /** What was logged as an error. */
  readonly errors: { facts: object; text: string }[];
  readonly warnings: { facts: object; text: string }[];
}

/** An agent that answers by script and remembers what it was asked. It declares every capability unless told otherwise. */
export function scripted(
  script: Script,
  capabilities: AgentCapabilities = { streaming: true, pushNotifications: true, extendedAgentCard: true },
  more: Partial<ServedAgent> = {},
): Scripted {
  const seen: Seen[] = [];
  const errors: Scripted["errors"] = [];
  const warnings: Scripted["warnings"] = [];
  const answers = { ...unimplemented(), ...script } as Record<
    HandlerMethod,
    (request: unknown, call: CallContext) => unknown
  >;
  const recording = operations.map((row) => {
    const method = handlerMethod(row);
    return [
      method,
      (request: unknown, call: CallContext) => {
        seen.push({ method, request, call });
        return answers[method](request, call);
      },
    ];
  });
  const logger: Logger = {
    ...silent,
    error: (facts, text) => errors.push({ facts, text }),
    warn: (facts, text) => warnings.push({ facts, text }),
  };
  return {
    handler: Object.fromEntries(recording),
    card: { ...card, capabilities },
    codecs: new Map([[codec.version, codec]]),
    logger,
    seen,
    errors,
    warnings,
    ...more,
  };
}

function unimplemented() {
  const handler = new UnimplementedHandler<CallContext>();
  return Object.fromEntries(
    operations.map((row) => {
      const method = handlerMethod(row);
      return [method, (handler[method] as (...given: unknown[]) => unknown).bind(handler)];
    }),
  );
}

const card: AgentCard = {
  name: "Scripted",
  description: "Answers by script.",
  version: "1",
  supportedInterfaces: [{ url: "https://agent.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};
