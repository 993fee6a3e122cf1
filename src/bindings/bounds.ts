import { invalidParams } from "../errors.js";
import { isJsonObject } from "../wire/json-text.js";

/** How large a request may be in itself, whatever the bytes of its body (SEC-08). */
export interface Bounds {
  /** Levels of objects and lists within each other. */
  readonly nesting: number;
  /** Parts of a message. */
  readonly parts: number;
  /** Bytes of all metadata together, as JSON. */
  readonly metadata: number;
}

/**
 * Refuses requests that are too large before anybody looks at them closely: a validator that finds a fault in the last of a
 * million parts has looked at all of them. Knows members that requests of every version have.
 *
 * @param value the operation's request as a JSON value, of any shape
 * @throws A2AError INVALID_PARAMS naming the member
 */
export function checkBounds(value: unknown, bounds: Bounds | undefined): void {
  if (bounds === undefined || !isJsonObject(value)) return;
  const message = [value.message, value.request].find(isJsonObject) ?? {};
  const parts: unknown[] = [message.parts, message.content].find(Array.isArray) ?? [];
  if (parts.length > bounds.parts) {
    throw invalidParams("message.parts", `must have at most ${bounds.parts} items`);
  }
  let bytes = 0;
  for (const holder of [value, message, ...parts]) {
    const metadata = isJsonObject(holder) ? holder.metadata : undefined;
    if (metadata !== undefined) bytes += Buffer.byteLength(JSON.stringify(metadata));
  }
  if (bytes > bounds.metadata) {
    throw invalidParams("metadata", `must have at most ${bounds.metadata} bytes in the whole request`);
  }
}
