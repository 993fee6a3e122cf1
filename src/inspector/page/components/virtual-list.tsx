import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { visibleRows } from "./visible-rows.js";

/** Properties of a {@link VirtualList}. */
export interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Height of each row in pixels. */
  readonly rowHeight: number;
  /** Height of the list in pixels. */
  readonly height: number;
  readonly row: (row: Row, index: number) => ComponentChildren;
  /** Keeps the end in view while rows are added, unless the reader has scrolled up. */
  readonly followsEnd?: boolean;
}

/** A list of any length, of which only the visible rows are on the page. */
export function VirtualList<Row>({ label, rows, rowHeight, height, row, followsEnd }: VirtualListProps<Row>) {
  const list = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const isAtEnd = useRef(true);
  const whole = rows.length * rowHeight;
  useLayoutEffect(() => {
    if (followsEnd && isAtEnd.current && list.current) list.current.scrollTop = whole;
  }, [followsEnd, whole]);
  const onScroll = (event: { readonly currentTarget: HTMLElement }) => {
    const { scrollTop, clientHeight } = event.currentTarget;
    isAtEnd.current = scrollTop + clientHeight >= whole - rowHeight;
    setTop(scrollTop);
  };
  const [first, last] = visibleRows({ top, height, rowHeight, count: rows.length });
  const shown = rows.slice(first, last);
  const size = { height: `${Math.min(height, Math.max(whole, rowHeight) + 2)}px` };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the list
    <section class="virtual" ref={list} style={size} onScroll={onScroll} tabIndex={0} aria-label={label}>
      <ul class="space" style={{ height: `${whole}px` }}>
        {shown.map((each, offset) => {
          const index = first + offset;
          const place = { top: `${index * rowHeight}px`, height: `${rowHeight}px` };
          return (
            <li key={index} class="item" style={place} aria-setsize={rows.length} aria-posinset={index + 1}>
              {row(each, index)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
