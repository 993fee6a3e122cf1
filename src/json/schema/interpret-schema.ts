import type { ValidationError } from "../../protocol/model.js";
import type { JsonSchema, SchemaCheck } from "../json-schema.js";
import { applicators } from "./applicators.js";
import { assertions } from "./assertions.js";
import { Budget, TooExpensive } from "./budget.js";
import { toDraft2020 } from "./dialect.js";
import { Evaluated, fault, type Keyword, type KeywordCall, type Run, unrecorded } from "./keyword.js";
import { type Schema, SchemaDocument } from "./schema-document.js";

/**
 * Makes the check of a JSON Schema without generating code, for schemas that arrive at run time and for runtimes that
 * forbid `eval`. Reads draft 2020-12, and 2019-09, draft-07 and draft-06 if `$schema` names them; `format` is an
 * annotation. It reports the first error, in the form of the generated checks.
 *
 * Schema and data may both come from an untrusted source: nothing is fetched, patterns are matched without backtracking, and a check
 * that takes too many steps or nests too deeply refuses the value.
 *
 * @throws UnusableSchema that says what cannot be used
 */
export function interpretSchema(schema: JsonSchema): SchemaCheck {
  const document = new SchemaDocument(toDraft2020(schema));
  const plans: Plans = new Map();
  const check = (value: unknown): boolean => {
    const error = new Evaluation(document, plans).errorIn(value);
    result.errors = error && [error];
    return error === undefined;
  };
  const result: ((value: unknown) => boolean) & { errors: readonly ValidationError[] | undefined } =
    Object.assign(check, { errors: undefined });
  return result;
}

/** The keywords of each schema that was evaluated. */
type Plans = Map<JsonSchema, Plan>;

interface Plan {
  readonly steps: readonly { readonly keyword: Keyword; readonly wanted: unknown }[];
  /** Steps of the budget for reading the values of the keywords. */
  readonly cost: number;
  readonly resource: string;
}

/** The check of one value. */
class Evaluation implements Run {
  readonly document: SchemaDocument;
  readonly budget = new Budget();
  readonly scope: string[] = [];
  readonly #plans: Plans;

  constructor(document: SchemaDocument, plans: Plans) {
    this.document = document;
    this.#plans = plans;
  }

  errorIn(value: unknown): ValidationError | undefined {
    try {
      return this.evaluate(this.document.root, value, "", this.evaluated());
    } catch (error) {
      if (error instanceof TooExpensive) return fault("", "limit", {}, error.message);
      // The stack of a thread may be smaller than the depth that a check is allowed.
      if (error instanceof RangeError) return fault("", "limit", {}, "is nested too deeply to be checked");
      throw error;
    }
  }

  evaluated(): Evaluated {
    return this.document.hasUnevaluated ? new Evaluated() : unrecorded;
  }

  evaluate(schema: Schema, value: unknown, path: string, evaluated: Evaluated): ValidationError | undefined {
    if (schema === true) return undefined;
    if (schema === false) return fault(path, "false schema", {}, "is not allowed");
    const { steps, cost, resource } = this.#plan(schema);
    const { budget, scope } = this;
    budget.enter();
    budget.spend(cost);
    scope.push(resource);
    const call: KeywordCall = { schema, value, path, evaluated, run: this };
    let error: ValidationError | undefined;
    for (const { keyword, wanted } of steps) {
      if (keyword.of !== undefined && !keyword.of(value)) continue;
      error = keyword.check(wanted as never, value as never, call);
      if (error) break;
    }
    scope.pop();
    budget.leave();
    return error;
  }

  #plan(schema: JsonSchema): Plan {
    const known = this.#plans.get(schema);
    if (known) return known;
    const steps = keywords
      .filter(({ keyword }) => Object.hasOwn(schema, keyword))
      .map((keyword) => ({ keyword, wanted: schema[keyword.keyword] }));
    const cost = steps.reduce((sum, { wanted }) => sum + 1 + sizeOf(wanted), 1);
    const plan = { steps, cost, resource: this.document.resourceOf(schema) };
    this.#plans.set(schema, plan);
    return plan;
  }
}

/** Members or items of a keyword's value. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Every keyword that checks something, in the order of evaluation. */
const keywords = [...assertions, ...applicators];
