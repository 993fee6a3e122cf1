/**
 * Adds to an object the members of another that it does not have, and returns it. Says the same as `{ ...others, ...own }`,
 * for what is done once per event: members behind a spread are added one by one, which takes V8 longer than checking the
 * event and storing it.
 */
export function withDefaults<Own extends object, Others extends object>(
  own: Own,
  others: Others,
): Own & Omit<Others, keyof Own> {
  const filled = own as Own & Others;
  for (const name of Object.keys(others) as (keyof Others)[]) {
    // What every object inherits counts as there, so that a member named `__proto__` gets nowhere (§13.4).
    if (!(name in own)) filled[name] = others[name] as (Own & Others)[keyof Others];
  }
  return filled;
}
