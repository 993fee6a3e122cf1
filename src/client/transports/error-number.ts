import type { ClientCodec } from "../../wire/client-codec.js";
import type { WireError } from "../recognise-error.js";

/** The number of a JSON-RPC error, and what it means where that differs by version. */
export function numberOf(
  jsonRpcCode: number,
  message: unknown,
  { errorCodeOf }: ClientCodec,
): Pick<WireError, "jsonRpcCode" | "code"> {
  const code = errorCodeOf?.(jsonRpcCode, String(message ?? ""));
  return { jsonRpcCode, ...(code !== undefined && { code }) };
}
