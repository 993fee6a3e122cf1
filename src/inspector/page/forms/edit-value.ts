import type { ValuePath } from "./schema-problems.js";

/** A copy of a JSON value with another value at a place; undefined removes the member or the entry. */
export function withValueAt(value: unknown, [step, ...rest]: ValuePath, inner: unknown): unknown {
  if (step === undefined) return inner;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? value : [];
    if (rest.length === 0 && inner === undefined) return list.filter((_, index) => index !== step);
    const copy = [...list];
    copy[step] = withValueAt(list[step], rest, inner);
    return copy;
  }
  const record = Object(value) as Readonly<Record<string, unknown>>;
  if (rest.length > 0 || inner !== undefined)
    return { ...record, [step]: withValueAt(record[step], rest, inner) };
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== step));
}
