import { isJsonObject } from "../json/json-text.js";
import type { AgentCard } from "../protocol/model.js";
import type { Codec } from "./codec.js";

type Json = Record<string, unknown>;

/**
 * One card that readers of several versions understand: the members of all of them side by side (§A.2). Where two versions have
 * a member of one name, that of the newer one counts, and objects hold the members of both.
 * @param codecs the newest first
 * @returns undefined when nothing in the card speaks any of the versions
 */
export function hybridCard(card: AgentCard, codecs: readonly Codec[]): object | undefined {
  const shapes = codecs.flatMap((codec) => codec.encodeCard(card) ?? []);
  return shapes.length < 2 ? shapes[0] : shapes.reduceRight((older, newer) => merged(older, newer) as object);
}

/** Lists of equal length are of the same things, such as skills; of others the newer one counts. */
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
