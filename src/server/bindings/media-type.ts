/** Media type of JSON. */
export const JSON_TYPE = "application/json";

/** Media type of A2A's own JSON (§11.1). */
export const A2A_JSON_TYPE = "application/a2a+json";

/** Whether a body that is declared so can be read as JSON; one without a declaration can (RPC-17, RESTB-05). */
export function isJson(contentType: string | readonly string[] | undefined): boolean {
  if (contentType === undefined || contentType === JSON_TYPE) return true;
  const type = bareType(String(contentType));
  return type === "" || type === JSON_TYPE || type === A2A_JSON_TYPE;
}

/** Type and subtype in lower case, without parameters. */
export function bareType(text: string): string {
  const end = text.indexOf(";");
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
}
