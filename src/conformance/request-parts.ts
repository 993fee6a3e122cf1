/** Headers with changes: a value replaces one, undefined takes it out. Names are in lower case. */
export function headersOf(
  usual: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = { ...usual };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** A URL with more in its query. */
export function urlWith(url: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  if (text === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}${text}`;
}
