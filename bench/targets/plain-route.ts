import { PlainAgent } from "./plain-agent.js";

const plain = new PlainAgent();

/** The response to a JSON-RPC request, with the bytes of an agent's. */
export async function answerTo({ id, params }: any): Promise<object> {
  return { jsonrpc: "2.0", id, result: await plain.send(params) };
}

/** What a request must have, written out, for frameworks without schemas. */
export function isCall(value: any): boolean {
  const { jsonrpc, id, method, params } = value ?? {};
  const { messageId, role, parts, contextId = "" } = params?.message ?? {};
  return (
    jsonrpc === "2.0" &&
    (typeof id === "string" || Number.isInteger(id)) &&
    typeof method === "string" &&
    typeof messageId === "string" &&
    (role === "ROLE_USER" || role === "ROLE_AGENT") &&
    Array.isArray(parts) &&
    parts.length > 0 &&
    parts.every((part) => typeof part?.text === "string") &&
    typeof contextId === "string"
  );
}
