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
