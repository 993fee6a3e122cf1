import type { ValidationError } from "../../protocol/model.js";
import type { JsonSchema } from "../json-schema.js";
import type { Budget } from "./budget.js";
import type { Schema, SchemaDocument } from "./schema-document.js";

/** The members and items that the keywords of one schema have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Evaluated {
  readonly #members = new Set<string>();
  readonly #items = new Set<number>();

  has(place: string | number): boolean {
    return typeof place === "string" ? this.#members.has(place) : this.#items.has(place);
  }

  note(place: string | number): void {
    if (typeof place === "string") this.#members.add(place);
    else this.#items.add(place);
  }

  add(other: Evaluated): void {
    for (const name of other.#members) this.#members.add(name);
    for (const index of other.#items) this.#items.add(index);
  }
}

/** The record of all schemas in documents without these keywords. It stays empty. */
export const unrecorded = new (class extends Evaluated {
  override note(): void {
    // No keyword reads it.
  }
})();

/** What a keyword is called with: one value, which is checked against one schema. */
export interface KeywordCall {
  readonly schema: JsonSchema;
  readonly value: unknown;
  /** JSON pointer to the value. */
  readonly path: string;
  readonly evaluated: Evaluated;
  readonly run: Run;
}

/** The check of one value, as keywords use it. */
export interface Run {
  readonly document: SchemaDocument;
  readonly budget: Budget;
  /** Resources that are being evaluated, the outermost first. */
  readonly scope: readonly string[];
  /** Returns the record that a schema fills while it is evaluated. */
  evaluated(): Evaluated;
  /** The first error of a value; fills `evaluated` when there is none. */
  evaluate(schema: Schema, value: unknown, path: string, evaluated: Evaluated): ValidationError | undefined;
}

/** A keyword that checks something. */
export interface Keyword {
  readonly keyword: string;
  /** Whether the keyword applies to a value; without it, it applies to all. */
  readonly of?: ((value: unknown) => boolean) | undefined;
  readonly check: (wanted: never, value: never, call: KeywordCall) => ValidationError | undefined;
}

/** The members of an object. */
export type ObjectValue = Readonly<Record<string, unknown>>;

/** An error at a value, in the form of the generated checks. */
export function fault(
  instancePath: string,
  keyword: string,
  params: ValidationError["params"],
  message?: string,
): ValidationError {
  return { instancePath, schemaPath: "", keyword, params, ...(message !== undefined && { message }) };
}

/** The first error that a check of the elements gives. */
export function first<Element>(
  elements: readonly Element[],
  check: (element: Element, index: number) => ValidationError | undefined,
): ValidationError | undefined {
  for (const [index, element] of elements.entries()) {
    const error = check(element, index);
    if (error) return error;
  }
  return undefined;
}
