/**
 * Lists where two JSON values differ, one readable line per leaf, for example
 * `messages.Task.fields.id.number: facts 1, schema 2`.
 */
export function differences(facts: unknown, schema: unknown, path = ""): string[] {
  if (isObject(facts) && isObject(schema)) {
    const keys = [...new Set([...Object.keys(facts), ...Object.keys(schema)])];
    return keys.flatMap((key) => differences(facts[key], schema[key], path === "" ? key : `${path}.${key}`));
  }
  return facts === schema ? [] : [`${path}: facts ${show(facts)}, schema ${show(schema)}`];
}

/** Arrays count as objects whose keys are their indexes. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
