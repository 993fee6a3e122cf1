import type { Place } from "../problems.js";
import type { Field, Spec } from "../spec-model.js";

/** Reports definitions that have no finite value because they require themselves. */
export function reportEndless(
  { messages, unions, containers }: Pick<Spec, "messages" | "unions" | "containers">,
  place: Place,
): void {
  const finite = new Set<string>();
  const ends = ({ kind, type, container, minItems = 0 }: Field): boolean =>
    kind !== "message" ||
    finite.has(type ?? "") ||
    container === "map" ||
    (container === "list" && minItems === 0);
  const settled: readonly { readonly name: string; readonly ends: () => boolean }[] = [
    ...messages.map(({ name, fields, oneofs }) => ({
      name,
      ends: () =>
        fields.every((field) => !field.required || ends(field)) &&
        oneofs.every(
          (group) => !group.required || fields.some((field) => field.oneof === group.name && ends(field)),
        ),
    })),
    ...unions.map(({ name, members }) => ({
      name,
      ends: () => members.size === 0 || [...members.values()].some((member) => finite.has(member)),
    })),
    ...containers.map(({ name, field }) => ({ name, ends: () => ends(field) })),
  ];
  for (let before = -1; before < finite.size; ) {
    before = finite.size;
    for (const definition of settled) if (definition.ends()) finite.add(definition.name);
  }
  for (const { name } of settled) {
    if (!finite.has(name)) place.at(name).report("requires itself, so it has no finite value");
  }
}
