/** Seconds for which a task is kept after its end, so that the heap of a long run reaches a constant size. */
export const KEEP_SECONDS = 15;
