/** A member that differs between two cards. */
export interface CardChange {
  /** Where it is: `skills.writer.description`. Members of lists have the names of their ids. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before: unknown;
  readonly after: unknown;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** What differs between two JSON values, in the order of the second one. */
export function differenceBetween(before: unknown, after: unknown, path = ""): readonly CardChange[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined) {
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    return isSame ? [] : [{ path, kind: "changed", before, after }];
  }
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])];
  return names.flatMap((name): readonly CardChange[] => {
    const place = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(old, name))
      return [{ path: place, kind: "added", before: undefined, after: now[name] }];
    if (!Object.hasOwn(now, name))
      return [{ path: place, kind: "removed", before: old[name], after: undefined }];
    return differenceBetween(old[name], now[name], place);
  });
}

/** Members by name; those of a list by their ids if all have one, so that a new first skill does not change all others. */
function membersOf(value: unknown): JsonRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return value as JsonRecord;
  const ids = value.map((each: { id?: unknown } | null) => each?.id);
  const areNames = ids.every((id) => typeof id === "string") && new Set(ids).size === ids.length;
  return Object.fromEntries(
    value.map((each, index) => [areNames ? String(ids[index]) : String(index), each]),
  );
}
