/**
 * Runs steps in order and awaits each one. A step that fails does not keep later steps from running.
 *
 * @throws what the first failed step threw
 */
export async function everyStep(steps: Iterable<() => unknown>): Promise<void> {
  let failure: { readonly thrown: unknown } | undefined;
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      failure ??= { thrown };
    }
  }
  if (failure !== undefined) throw failure.thrown;
}

/**
 * Waits until every piece of work has settled, also after one that fails.
 *
 * @throws what the first failed piece in the list threw
 */
export async function everySettled(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
