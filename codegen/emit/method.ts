import type { Operation } from "../spec-model.js";

/** Name of the method of an operation in handler and client: `GetTask` is `getTask`. */
export function methodName({ name }: Operation): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Type that the method returns: a promise of the answer, or an async iterable when it streams. */
export function resultType({ streaming }: Operation, answer: string): string {
  return streaming ? `AsyncIterable<${answer}>` : `Promise<${answer}>`;
}

/** Doc comment of the method: description, capability and specific errors. */
export function methodDoc({ description, capability, errors }: Operation): string {
  return [
    description,
    ...(capability === null ? [] : ["", `Needs the capability \`${capability}\`.`]),
    ...(errors.length === 0
      ? []
      : ["", `Further errors: ${errors.map((code) => `\`${code}\``).join(", ")}.`]),
  ].join("\n");
}
