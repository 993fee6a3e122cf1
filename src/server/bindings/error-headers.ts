import type { A2AError } from "../../protocol/errors.js";

/** Headers that say when a retry may succeed (ERR-20) and who may call at all (ERR-17), as far as the error knows. */
export function errorHeaders({ retryAfter, challenge }: A2AError): Readonly<Record<string, string>> {
  return {
    ...(retryAfter !== undefined && { "Retry-After": String(Math.ceil(retryAfter)) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
}
