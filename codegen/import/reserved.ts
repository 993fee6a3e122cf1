import { camelCase } from "./camel-case.js";
import type { Definition } from "./contract.js";

const range = /^(\d+)(?: to (\d+))?$/;

/** Whether a definition keeps the number, or the name, of a member or value from being used again. */
export function isReserved(
  { "x-reserved": reserved = [] }: Definition,
  name: string,
  number: number | undefined,
): boolean {
  return reserved.some((entry) => {
    const [, first, last = first] = range.exec(entry) ?? [];
    if (first === undefined) return entry === name || camelCase(entry) === name;
    return number !== undefined && Number(first) <= number && number <= Number(last);
  });
}
