/** A body that is larger than its reader is willing to take. */
export class BodyTooLarge extends RangeError {
  override readonly name = "BodyTooLarge";

  /** @param limit bytes */
  constructor(limit: number) {
    super(`The answer is too large: more than ${limit} bytes`);
  }
}

/**
 * The text of an answer whose sender is not trusted to be brief (§13.4). Reads no further than the limit and lets go of the
 * connection then.
 *
 * @param limit bytes
 * @param signal ends the reading also where the body does not hear it itself
 * @throws BodyTooLarge; the reason of the signal; and whatever a broken connection throws
 */
export async function boundedText(response: Response, limit: number, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  // Not `for await`: not every browser can iterate a body.
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
    // Without effect on a body that was read to its end.
    stop();
  }
}
