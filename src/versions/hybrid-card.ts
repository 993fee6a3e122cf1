import { isJsonObject } from "../json/json-text.js";
import type { AgentCard } from "../protocol/model.js";
import type { Codec } from "./codec.js";

type Json = Record<string, unknown>;

/**
 * Creates one card for readers of several versions, with the members of all of them (§A.2). If two versions have a member with the same
 * name, objects and lists of equal length are merged; otherwise the value of the newer version is used.
 * @param codecs newest first
 * @returns undefined when none of the versions can write the card: see {@link Codec.encodeCard}
 */
export function hybridCard(card: AgentCard, codecs: readonly Codec[]): object | undefined {
  const shapes = codecs.flatMap((codec) => codec.encodeCard(card) ?? []);
  return shapes.length < 2 ? shapes[0] : shapes.reduceRight((older, newer) => merged(older, newer) as object);
}

/** Merges two values. Lists of equal length describe the same items, such as skills. */
function merged(older: unknown, newer: unknown): unknown {
  if (Array.isArray(older) && Array.isArray(newer) && older.length === newer.length) {
    return newer.map((element, index) => merged(older[index], element));
  }
  if (!isJsonObject(older) || !isJsonObject(newer)) return newer;
  const result: Json = { ...older };
  for (const [name, member] of Object.entries(newer)) {
    result[name] = Object.hasOwn(older, name) ? merged(older[name], member) : member;
  }
  return result;
}
