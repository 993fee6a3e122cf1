import type { Task } from "../model.js";
import type { TaskPage } from "../stores/task-store.js";
import { valueSize } from "../value-size.js";

/**
 * How many tasks of a page may be sent together; one at least, however large it is. A store that knows how many bytes it has read, and
 * that these are few enough, spares looking at the tasks.
 *
 * @param tasks those of the page, as they are shown
 * @param maxBytes bytes that they may have, about as they are in memory
 */
export function countWithin({ bytes }: TaskPage, tasks: readonly Task[], maxBytes: number): number {
  if (tasks.length <= 1 || (bytes !== undefined && bytes <= maxBytes)) return tasks.length;
  let sum = 0;
  for (const [index, task] of tasks.entries()) {
    sum += valueSize(task);
    if (sum > maxBytes) return Math.max(index, 1);
  }
  return tasks.length;
}
