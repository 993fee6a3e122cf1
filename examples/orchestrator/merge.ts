/** Yields the values of several generators in the order in which they arrive. */
export async function* merge<T>(...sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const step = async (source: AsyncGenerator<T, void>) => ({ source, ...(await source.next()) });
  const steps = new Map(sources.map((source) => [source, step(source)]));
  while (steps.size > 0) {
    const { source, done, value } = await Promise.race(steps.values());
    if (done) {
      steps.delete(source);
    } else {
      steps.set(source, step(source));
      yield value as T;
    }
  }
}
