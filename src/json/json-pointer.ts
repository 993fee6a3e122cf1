/** A name as a token of a JSON Pointer (RFC 6901 §3). */
export function pointerToken(name: string): string {
  return name.includes("~") || name.includes("/") ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
}

/** The name that a token of a JSON Pointer stands for (RFC 6901 §4). */
export function nameOfToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}
