/** Turns that the page keeps, and the characters of all their events, messages and artifacts. */
const MAX_TURNS = 500;
const MAX_TEXT = 64 * 1024 * 1024;

/** What is known of a turn when room is made. */
export interface HeldTurn {
  readonly id: number;
  readonly endedAt: number | undefined;
  /** Characters that the turn holds. */
  readonly held: number;
}

/**
 * The turns that leave so that the page does not run out of memory: the oldest first. A turn that still runs stays.
 * @param turns of all conversations, in any order
 * @param last turn that stays in any case, because it is being looked at
 */
export function turnsToDrop(turns: readonly HeldTurn[], last: number | undefined): ReadonlySet<number> {
  const dropped = new Set<number>();
  let held = turns.reduce((sum, turn) => sum + turn.held, 0);
  for (const turn of [...turns].sort((one, other) => one.id - other.id)) {
    if (turns.length - dropped.size <= MAX_TURNS && held <= MAX_TEXT) break;
    if (turn.endedAt === undefined || turn.id === last) continue;
    dropped.add(turn.id);
    held -= turn.held;
  }
  return dropped;
}
