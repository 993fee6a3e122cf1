/**
 * Throws an error into an iterator: at the `yield` of a generator. An iterator without `throw` is told to clean up, by its `return` if it
 * has one, and the error is rethrown.
 *
 * @throws the error, unless the iterator catches it; what the iterator throws instead
 */
export async function throwInto<Item, Result>(
  iterator: AsyncIterator<Item, Result>,
  error: unknown,
): Promise<IteratorResult<Item, Result>> {
  if (iterator.throw !== undefined) return iterator.throw(error);
  try {
    await iterator.return?.();
  } catch {
    // As in a loop: the first error is the one to report.
  }
  throw error;
}
