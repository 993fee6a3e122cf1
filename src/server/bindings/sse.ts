/** Headers of every event stream: not to be cached, not to be collected by a proxy on the way (STR-18). */
export const streamHeaders: Readonly<Record<string, string>> = Object.freeze({
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
  "X-Accel-Buffering": "no",
});

/** A comment that keeps an idle connection open; readers skip it (STR-11). */
export const keepAlive = ": keep-alive\n\n";

/** Frame of an event. The data is one line; the id, when there is one, lets a reader continue after it. */
export function eventFrame(data: string, id: number | undefined): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** Frame of an error, which is the last of its stream (RPCS-04, RESTS-03). */
export function errorFrame(data: string): string {
  return `event: error\ndata: ${data}\n\n`;
}
