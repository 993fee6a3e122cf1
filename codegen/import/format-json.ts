const width = 110;

/**
 * JSON text of a schema file: two spaces a level, and on one line what is short and has no prose: references, routes, lists of
 * names.
 */
export function formatJson(value: unknown): string {
  return `${format(value, "", 0)}\n`;
}

/** `used` are the columns that are taken on the line on which the value begins. */
function format(value: unknown, indent: string, used: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inline = isTerse(value) ? onOneLine(value) : undefined;
  if (inline !== undefined && used + inline.length < width) return inline;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = Object.entries(value).map(([key, member]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return `${deeper}${label}${format(member, deeper, deeper.length + label.length)}`;
  });
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** Nothing with prose in it, and nothing that is more than a list of names. */
function isTerse(value: object): boolean {
  const members: unknown[] = Object.values(value);
  if (Array.isArray(value)) return members.every((member) => typeof member !== "object");
  return (
    !("description" in value) && members.every((member) => typeof member !== "object" || isNames(member))
  );
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== "object");
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${onOneLine(member)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
