import { A2AError } from "../../protocol/errors.js";
import type { Operation } from "../../protocol/operations.js";
import type { Codec } from "../../versions/codec.js";
import type { Arrival } from "./arrival.js";
import type { ServedAgent } from "./served-agent.js";

const none: ReadonlySet<string> = new Set();

/**
 * The extensions that are on for a request: those that the caller asks for and the agent declares, compared as exact URIs, in
 * the order of the request (EXT-02, EXT-04). Others are ignored (EXT-05).
 */
export function activeExtensions({ request, agent }: Arrival, codec: Codec): ReadonlySet<string> {
  const declared = agent.card.capabilities.extensions;
  if (declared === undefined) return none;
  const header = request.headers[codec.conventions.extensionsHeader.toLowerCase()];
  if (header === undefined) return none;
  const asked = String(header).split(",");
  return new Set(asked.map((uri) => uri.trim()).filter((uri) => declared.some((one) => one.uri === uri)));
}

/**
 * Demands the extensions that the agent cannot do without (§3.3.4), on the two sends or on every operation that knows the
 * refusal (EXT-09).
 * @throws A2AError EXTENSION_SUPPORT_REQUIRED naming the missing URIs (EXT-10)
 */
export function demandExtensions(
  agent: ServedAgent,
  operation: Operation,
  { active, header }: { readonly active: ReadonlySet<string>; readonly header: string },
): void {
  const { extensions } = agent.card.capabilities;
  if (extensions === undefined) return;
  const missing = extensions.flatMap(({ uri, required }) =>
    required && uri && !active.has(uri) ? [uri] : [],
  );
  if (missing.length === 0 || !demandedOn(operation, agent.requireExtensionsOn ?? "send")) return;
  throw new A2AError("EXTENSION_SUPPORT_REQUIRED", `Name ${missing.join(", ")} in the header ${header}`, {
    metadata: { missingExtensions: missing.join(",") },
  });
}

function demandedOn(operation: Operation, scope: "send" | "all"): boolean {
  if (!operation.errors.includes("EXTENSION_SUPPORT_REQUIRED")) return false;
  return scope === "all" || operation.request === "SendMessageRequest";
}
