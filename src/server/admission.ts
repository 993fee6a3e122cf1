import { A2AError, clientError, type ErrorCode } from "../protocol/errors.js";
import type { AgentCapabilities } from "../protocol/model.js";
import { type Operation, operationErrors } from "../protocol/operations.js";
import { type ChosenRequest, noHeaders, type ReplyHeaders } from "./operation-request.js";

const none: ReadonlySet<string> = new Set();

/**
 * The extensions that are on for a request: those that the caller asks for and the agent declares, compared as exact URIs, in
 * the order of the request (§3.2.6). Others are ignored.
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
 * Checks that a request names the extensions that the card requires (§3.3.4): on the two sends, or on every operation that can be
 * refused for it.
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

/** Refusals that are not the general one. */
const refusals: Readonly<Record<string, ErrorCode>> = {
  pushNotifications: "PUSH_NOTIFICATION_NOT_SUPPORTED",
};

/**
 * Checks that the agent's card declares the capability that an operation needs; absent means not declared (§3.3.4).
 * @throws A2AError UNSUPPORTED_OPERATION or PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function checkCapability({ operation: { capability }, agent: { card } }: ChosenRequest): void {
  if (capability === null || card.capabilities[capability as keyof AgentCapabilities] === true) return;
  throw clientError(refusals[capability] ?? "UNSUPPORTED_OPERATION", undefined, {
    metadata: { capability },
  });
}

/**
 * Headers of an answer that follow from the call, whatever its binding: the extensions that were on, left out when there were
 * none, and a mark against shared caching of a card that was made for the caller (§3.1.11).
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
