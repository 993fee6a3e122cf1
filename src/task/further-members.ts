/**
 * The members of an object that a reducer does not treat by name: what a later version of the protocol adds must survive the
 * fold. Undefined when there are none, which is nearly always.
 */
export function furtherMembers<T extends object>(
  value: T,
  known: ReadonlySet<string>,
): Partial<T> | undefined {
  let further: Partial<T> | undefined;
  // Not by a list of keys, which would be made anew for every chunk of a stream.
  for (const name in value) {
    if (known.has(name)) continue;
    further ??= {};
    further[name as keyof T] = value[name as keyof T];
  }
  return further;
}
