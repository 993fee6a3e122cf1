/** Name of the type of one branch of an exactly-one group: `Part` with `text` is `PartText`. */
export function variantName(message: string, member: string): string {
  return `${message}${member.charAt(0).toUpperCase()}${member.slice(1)}`;
}
