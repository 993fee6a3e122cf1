import { A2AError, clientError, type ErrorCode } from "../protocol/errors.js";
import type { AgentCapabilities } from "../protocol/model.js";
import { type Operation, operationErrors } from "../protocol/operations.js";
import { type ChosenRequest, noHeaders, type ReplyHeaders } from "./operation-request.js";

const none: ReadonlySet<string> = new Set();

/**
 * The active extensions of a request: those that the caller requests and the agent declares, compared as exact URIs, in the order of the
 * request (§3.2.6). Others are ignored.
 */
export function activeExtensions({ host, agent, codec }: ChosenRequest): ReadonlySet<string> {
  const declared = agent.card.capabilities.extensions;
  if (declared === undefined) return none;
  const header = host.headers[codec.conventions.extensionsHeader.toLowerCase()];
  if (header === undefined) return none;
  const asked = String(header).split(",");
  return new Set(asked.map((uri) => uri.trim()).filter((uri) => declared.some((one) => one.uri === uri)));
}

/**
 * Checks that a request names the extensions that the card requires (§3.3.4). The check applies to the two sends or, if
 * `requireExtensionsOn` is `"all"`, to every operation that may be refused for this reason.
 * @throws A2AError EXTENSION_SUPPORT_REQUIRED naming the missing URIs
 */
export function checkExtensions(request: ChosenRequest, active: ReadonlySet<string>): void {
  const { agent, operation, codec } = request;
  const { extensions } = agent.card.capabilities;
  if (extensions === undefined) return;
  const missing = extensions.flatMap(({ uri, required }) =>
    required && uri && !active.has(uri) ? [uri] : [],
  );
  if (missing.length === 0 || !requiredOn(operation, agent.requireExtensionsOn ?? "send")) return;
  const { extensionsHeader } = codec.conventions;
  const advice = `Name ${missing.join(", ")} in the header ${extensionsHeader}`;
  throw new A2AError("EXTENSION_SUPPORT_REQUIRED", advice, {
    metadata: { missingExtensions: missing.join(",") },
  });
}

function requiredOn(operation: Operation, scope: "send" | "all"): boolean {
  if (!operationErrors[operation.name].includes("EXTENSION_SUPPORT_REQUIRED")) return false;
  return scope === "all" || operation.request === "SendMessageRequest";
}

/** Errors for missing capabilities other than UNSUPPORTED_OPERATION. */
const refusals: Readonly<Record<string, ErrorCode>> = {
  pushNotifications: "PUSH_NOTIFICATION_NOT_SUPPORTED",
};

/**
 * Checks that the agent's card declares the capability that an operation needs (§3.3.4). An absent flag means that it does not.
 * @throws A2AError UNSUPPORTED_OPERATION or PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function checkCapability({ operation: { capability }, agent: { card } }: ChosenRequest): void {
  if (capability === null || card.capabilities[capability as keyof AgentCapabilities] === true) return;
  throw clientError(refusals[capability] ?? "UNSUPPORTED_OPERATION", undefined, {
    metadata: { capability },
  });
}

/**
 * Headers of a response that are the same in every binding: the active extensions, if there are any, and for an extended card the
 * headers that forbid shared caches to store it (§3.1.11).
 */
export function headersFor(
  { operation, codec }: ChosenRequest,
  extensions: ReadonlySet<string>,
): ReplyHeaders {
  const perCaller = operation.response === "AgentCard";
  if (extensions.size === 0 && !perCaller) return noHeaders;
  return {
    ...(perCaller && { "Cache-Control": "private, no-cache", Vary: "Authorization" }),
    ...(extensions.size > 0 && { [codec.conventions.extensionsHeader]: [...extensions].join(", ") }),
  };
}
