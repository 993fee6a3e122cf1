import { withValueAt } from "./edit-value.js";
import type { FormDocument, SchemaNode } from "./form-schema.js";
import type { SchemaProblem, ValuePath } from "./schema-problems.js";

/** Properties of a form for a value of a schema. */
export interface SchemaFormProps {
  readonly node: SchemaNode;
  readonly document: FormDocument;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly problems: readonly SchemaProblem[];
}

/** A node in a form: where it is, and what surrounds it. */
export interface FormNode {
  readonly form: SchemaFormProps;
  readonly node: SchemaNode;
  readonly path: ValuePath;
  readonly value: unknown;
}

/** Changes the value at a place of a form. */
export function setAt({ form }: FormNode, path: ValuePath, inner: unknown): void {
  form.onValue(withValueAt(form.value, path, inner));
}

/** What is wrong at exactly this place. */
export function problemAt({ form: { problems }, path }: FormNode): string | undefined {
  return problems.find((problem) => samePath(problem.path, path))?.message;
}

function samePath(one: ValuePath, other: ValuePath): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
