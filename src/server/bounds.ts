import { runtime } from "#runtime";
import { isJsonObject } from "../json/json-text.js";
import { invalidParams } from "../protocol/errors.js";
import type { SendMessageRequest } from "../protocol/model.js";

/** Limits on the content of a request, in addition to the limit on the bytes of its body. */
export interface Bounds {
  /** Maximum nesting of objects and lists. */
  readonly nesting: number;
  /** Maximum number of values: objects, lists, and the members and items in them. */
  readonly values: number;
  /** Maximum number of members of all objects together. */
  readonly members: number;
  /** Maximum number of parts of a message. */
  readonly parts: number;
  /** Maximum bytes of all metadata together, as JSON, and of each list of a send other than the parts. */
  readonly metadata: number;
  /** Maximum approximate bytes of a list in memory, in a version whose lists have no pages. */
  readonly page: number;
  /** Maximum bytes of the name of a tenant. */
  readonly name: number;
}

/**
 * Refuses requests that are too large before they are validated, because a validator that finds a fault in the last of a million parts
 * has visited all of them. It finds parts and metadata by the names that versions have for them.
 *
 * @param value the operation's request as a JSON value, of any shape
 * @throws A2AError INVALID_PARAMS naming the member
 */
export function checkBounds(value: unknown, bounds: Bounds | undefined): void {
  if (bounds === undefined || !isJsonObject(value)) return;
  const message = isJsonObject(value.message) ? value.message : value.request;
  const parts = partsOf(message);
  if (parts.length > bounds.parts) {
    throw invalidParams("message.parts", `must have at most ${bounds.parts} items`);
  }
  let bytes = metadataBytes(value) + metadataBytes(message);
  for (const part of parts) bytes += metadataBytes(part);
  if (bytes > bounds.metadata) {
    throw invalidParams("metadata", `must have at most ${bounds.metadata} bytes in the whole request`);
  }
}

const none: readonly unknown[] = [];

/** The parts of a message, under the name of any version. */
function partsOf(message: unknown): readonly unknown[] {
  if (!isJsonObject(message)) return none;
  if (Array.isArray(message.parts)) return message.parts;
  return Array.isArray(message.content) ? message.content : none;
}

/** Bytes of the metadata of an object, as JSON; 0 without metadata. */
function metadataBytes(holder: unknown): number {
  const metadata = isJsonObject(holder) ? holder.metadata : undefined;
  return metadata === undefined ? 0 : runtime.byteLength(JSON.stringify(metadata));
}

/**
 * Refuses sends with long lists other than their parts. Executors get these lists, and stores keep them with the message.
 * @param request the operation's request in canonical form
 * @throws A2AError INVALID_PARAMS naming the member
 */
export function checkLists(request: object | null, bounds: Bounds | undefined): void {
  const { message, configuration } = (request ?? {}) as Partial<SendMessageRequest>;
  if (bounds === undefined || message === undefined) return;
  checkList("message.extensions", message.extensions, bounds);
  checkList("message.referenceTaskIds", message.referenceTaskIds, bounds);
  checkList("configuration.acceptedOutputModes", configuration?.acceptedOutputModes, bounds);
}

function checkList(field: string, list: readonly string[] | undefined, { metadata }: Bounds): void {
  if (list === undefined || runtime.byteLength(JSON.stringify(list)) <= metadata) return;
  throw invalidParams(field, `must have at most ${metadata} bytes`);
}
