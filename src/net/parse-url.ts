/**
 * The URL that a text is; undefined when it is none. Used in place of `URL.canParse`, which Node 20 gets wrong: once compiled, it
 * refuses texts with characters from U+0080 to U+00FF, such as an internationalised host name.
 * @param base what a relative text is relative to
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
