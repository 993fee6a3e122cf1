/** Seconds for which a task is kept behind its end: so that the heap of a long run has a size to settle at. */
export const KEEP_SECONDS = 15;
