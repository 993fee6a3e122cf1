import { closestMatch } from "leven";

/** Maximum number of letters in which a name may differ from the one that is suggested. */
const MAX_DISTANCE = 3;

/**
 * Finds a member of an options object that does not exist, such as `versoins`.
 * @param option the option that holds the object, such as `limits`; none for the options themselves
 * @param known the names that exist
 * @returns the text of the error, with the name that was probably meant, if one is near; undefined if all names exist
 */
export function unknownName(given: object, known: object, option?: string): string | undefined {
  const name = Object.keys(given).find((one) => !Object.hasOwn(known, one));
  if (name === undefined) return undefined;
  const meant = nearestName(name, Object.keys(known));
  const place = option === undefined ? "" : `${option}: `;
  return `${place}there is no option "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

/** The known name that was probably meant; undefined if none is near. The case of letters makes no difference. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lowered = known.map((one) => one.toLowerCase());
  const nearest = closestMatch(name.toLowerCase(), lowered, { maxDistance: MAX_DISTANCE });
  return nearest === undefined ? undefined : known[lowered.indexOf(nearest)];
}
