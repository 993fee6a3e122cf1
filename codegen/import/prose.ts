/** Description of a name that has no other. */
export const undescribed = "Not described yet.";

const linterRemark = /\(--[\s\S]*?--\)/g;
const toolLine = /^\s*(protolint:|buf:|next id:|@)/i;

/** A comment of the source as one line of text; undefined when nothing is left. */
export function proseOf(comment: string | null | undefined): string | undefined {
  const text = (comment ?? "")
    .replace(linterRemark, "")
    .split("\n")
    .filter((line) => !toolLine.test(line))
    .join(" ")
    .replaceAll("*/", "* /")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? undefined : text;
}
