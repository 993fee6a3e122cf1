/** Rows above and below the visible ones that are on the page as well. */
const MARGIN = 8;

/** A list that is scrolled. Lengths are in pixels. */
export interface ScrolledList {
  readonly top: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** The first row to show, and the one after the last. */
export function visibleRows({
  top,
  height,
  rowHeight,
  count,
}: ScrolledList): readonly [first: number, end: number] {
  const first = Math.floor(top / rowHeight) - MARGIN;
  const end = Math.ceil((top + height) / rowHeight) + MARGIN;
  return [Math.max(0, Math.min(first, count)), Math.max(0, Math.min(end, count))];
}
