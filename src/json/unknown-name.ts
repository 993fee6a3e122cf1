import { closestMatch } from "leven";

/** Letters in which a name may differ from the one that was meant. */
const MAX_DISTANCE = 3;

/**
 * Finds a member of an options object that does not exist, such as `versoins`.
 * @param option the option that holds the object, such as `limits`; none for the options themselves
 * @param known the names that exist
 * @returns what is wrong, with the nearest name; undefined if all names exist
 */
export function unknownName(given: object, known: object, option?: string): string | undefined {
  const name = Object.keys(given).find((one) => !Object.hasOwn(known, one));
  if (name === undefined) return undefined;
  const nearest = closestMatch(name.toLowerCase(), lowered(known), { maxDistance: MAX_DISTANCE });
  const meant = Object.keys(known).find((one) => one.toLowerCase() === nearest);
  const place = option === undefined ? "" : `${option}: `;
  return `${place}there is no option "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

function lowered(known: object): string[] {
  return Object.keys(known).map((name) => name.toLowerCase());
}
