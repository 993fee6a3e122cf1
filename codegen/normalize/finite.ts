import type { Place } from "../problems.js";
import type { Field, Message } from "../spec-model.js";

/** Reports messages that have no finite value because they require themselves. */
export function reportEndless(messages: readonly Message[], place: Place): void {
  const finite = new Set<string>();
  const ends = ({ kind, type, container, minItems = 0 }: Field): boolean =>
    kind !== "message" ||
    finite.has(type ?? "") ||
    container === "map" ||
    (container === "list" && minItems === 0);
  const settled = ({ fields, oneof }: Message): boolean =>
    fields.every((field) => !field.required || ends(field)) &&
    (oneof === undefined || fields.some((field) => field.oneof !== undefined && ends(field)));
  for (let before = -1; before < finite.size; ) {
    before = finite.size;
    for (const message of messages) if (settled(message)) finite.add(message.name);
  }
  for (const { name } of messages) {
    if (!finite.has(name)) place.at(name).report("requires itself, so that no value of it is finite");
  }
}
