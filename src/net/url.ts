/**
 * Parses a URL; undefined when it is invalid. Used instead of `URL.canParse`, which has a bug in Node 20: once
 * compiled, it refuses characters from U+0080 to U+00FF, such as those of internationalized host names.
 * @param base resolves a relative URL
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host name of a URL is that of the machine itself: `localhost`, `127.0.0.0/8` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
