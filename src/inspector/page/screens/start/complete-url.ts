/**
 * The URL that a person means: `https:` is added to a host name, `http:` to this machine and to IP addresses.
 * @returns undefined when it is none
 */
export function completeUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed);
  const isNear = /^(?:localhost|[\w-]+\.localhost|\d+(?:\.\d+){3}|\[[\da-f:.]+\])(?=[:/?#]|$)/i.test(trimmed);
  const whole = hasScheme ? trimmed : `${isNear ? "http" : "https"}://${trimmed}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  // Some browsers take a space in the name of a host and write it as %20.
  const hasHost = url.hostname !== "" && !url.hostname.includes("%");
  return /^https?:$/.test(url.protocol) && hasHost ? url.href : undefined;
}
