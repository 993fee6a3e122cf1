import type { TimeSpan } from "./turn-timeline.js";

/** Places times on a width in pixels. */
export interface TimeScale {
  readonly span: TimeSpan;
  readonly width: number;
  /** Pixels from the left. */
  x(at: number): number;
}

/** A scale that shows a span, which has some length, on a width. */
export function timeScale({ from, to }: TimeSpan, width: number): TimeScale {
  const length = Math.max(1, to - from);
  return { span: { from, to: from + length }, width, x: (at) => round(((at - from) / length) * width) };
}

/** Positions for many times: times that fall on one pixel are one mark, with their number. */
export function markPositions(
  times: readonly number[],
  scale: TimeScale,
): readonly { readonly x: number; readonly count: number }[] {
  const counts = new Map<number, number>();
  for (const at of times) {
    const x = Math.round(scale.x(at));
    counts.set(x, (counts.get(x) ?? 0) + 1);
  }
  return Array.from(counts, ([x, count]) => ({ x, count }));
}

/** Pixels between labels of the axis. */
const BETWEEN = 110;

/** Round times since the beginning for the axis: their milliseconds, and where they are. */
export function axisTicks({
  span: { from, to },
  width,
  x,
}: TimeScale): readonly { readonly x: number; readonly text: string }[] {
  const most = Math.max(1, Math.floor(width / BETWEEN));
  const rough = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10));
  const count = Math.floor((to - from) / step);
  return Array.from({ length: count + 1 }, (_, index) => ({
    x: x(from + index * step),
    text: durationText(index * step),
  }));
}

/** A duration for people: "12 ms", "3.4 s", "2 min 5 s". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
