const CONFIGS = "/pushNotificationConfigs/";
/** Longest name from which an id is cut out: the part keeps the whole text in memory. */
const MAX_NAME = 2048;

/**
 * The id of a push config in the name of its resource, `tasks/{id}/pushNotificationConfigs/{id}`; undefined when it is no such name.
 * Of a name that is too long to hold two ids it is the name itself, which is refused as an id.
 */
export function configIdIn(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const at = name.indexOf(CONFIGS);
  if (at < 0) return undefined;
  return name.length > MAX_NAME ? name : name.slice(at + CONFIGS.length);
}
