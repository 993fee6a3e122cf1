/** Thrown for a body that exceeds the size that its reader accepts. */
export class BodyTooLarge extends RangeError {
  override readonly name = "BodyTooLarge";

  /** @param limit bytes */
  constructor(limit: number) {
    super(`The answer is too large: more than ${limit} bytes`);
  }
}

/**
 * Reads the text of an answer from an untrusted sender (§13.4). Stops at the limit and closes the connection.
 *
 * @param limit bytes
 * @param signal stops reading even when the body ignores it
 * @throws BodyTooLarge, the reason of the signal, or the error of a broken connection
 */
export async function boundedText(response: Response, limit: number, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  // Not `for await`: some browsers cannot iterate a body.
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return text + decoder.decode();
      size += value.length;
      if (size > limit) throw new BodyTooLarge(limit);
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    // No effect on a fully read body.
    stop();
  }
}
