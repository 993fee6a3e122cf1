/** How far a key moves in a group. */
const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The position that a key leads to in a group of so many; undefined for other keys. */
export function positionAfter(key: string, current: number, count: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  return step === undefined ? undefined : (current + step + count) % count;
}

/** Handles keys of a group of buttons or links of which one has the focus. */
export function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const group = [...event.currentTarget.querySelectorAll<HTMLElement>("button, a[href]")];
  const next = positionAfter(event.key, group.indexOf(event.target as HTMLElement), group.length);
  if (next === undefined) return;
  event.preventDefault();
  group[next]?.focus();
}
