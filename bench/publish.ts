import { readFileSync, writeFileSync } from "node:fs";

/**
 * Puts text into a page, between the comments `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when the page does not have them
 */
export function publish(page: string, name: string, text: string): void {
  const before = readFileSync(page, "utf8");
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const start = before.indexOf(from);
  const end = before.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`${page} has no place for ${name}: ${from} … ${to}`);
  writeFileSync(page, `${before.slice(0, start + from.length)}\n\n${text}\n\n${before.slice(end)}`);
}
