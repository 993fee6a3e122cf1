import { invalidParams } from "../protocol/errors.js";
import { decodeText, encodeText } from "./base64-text.js";

/** A position in a list of tasks: after the task with this id, whose status has this time. */
interface Position {
  readonly timestamp: string;
  readonly taskId: string;
}

/**
 * Writes a position in a list as an opaque token. The token is bound to the caller and the filters, and is refused with any others. It
 * grants no access: every page is read within the caller's scope.
 *
 * @param bound caller and filters, in an order that does not change
 */
export function writePageToken({ timestamp, taskId }: Position, bound: readonly string[]): string {
  const text = `${timestamp} ${taskId}`;
  return encodeText(`${checksum(text, bound)} ${text}`);
}

/**
 * Reads a position from a token.
 * @throws A2AError INVALID_PARAMS if the token is damaged, or was made for another caller or other filters
 */
export function readPageToken(token: string, bound: readonly string[]): Position {
  const [given, timestamp, ...words] = decodeText(token).split(" ");
  // Ids that another system has given may contain spaces.
  const taskId = words.join(" ");
  if (timestamp === undefined || taskId === "" || given !== checksum(`${timestamp} ${taskId}`, bound)) {
    throw invalidParams(
      "pageToken",
      "is not a token of this list: use nextPageToken of the previous page, with the same filters",
    );
  }
  return { timestamp, taskId };
}

/** A checksum that detects mistakes; it is no signature. A forged token can only point into the caller's own list. */
function checksum(position: string, bound: readonly string[]): string {
  return fnv1a(JSON.stringify([position, ...bound]));
}

/** FNV-1a with 32 bits. A digest of node:crypto would take longer than the store needs to find the tasks of a page. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
