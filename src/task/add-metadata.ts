/**
 * Adds metadata to other metadata, by key: what is added wins.
 * @param target is changed
 */
export function addMetadata(
  target: { [key: string]: unknown },
  added: { readonly [key: string]: unknown },
): void {
  for (const key of Object.keys(added)) {
    // Defined, not assigned: a key such as "__proto__" is data and must not reach a setter.
    Object.defineProperty(target, key, {
      value: added[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}
