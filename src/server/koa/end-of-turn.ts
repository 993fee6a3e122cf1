let current: Promise<void> | undefined;

/**
 * Resolves when the event loop has taken in all that has arrived, before it waits for more. Answers that are sent then leave one
 * right behind the other: each would wake its reader while the next is still being worked out, which costs the system about as
 * much as writing it.
 */
export function endOfTurn(): Promise<void> {
  current ??= new Promise((resolve) => {
    setImmediate(() => {
      current = undefined;
      resolve();
    });
  });
  return current;
}
