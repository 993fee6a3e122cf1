import { useState } from "preact/hooks";
import { CodeEditor, type TextProblem } from "../../components/code-editor.js";
import type { SchemaFormProps } from "../../forms/form-node.js";
import { placedProblems } from "../../forms/json-place.js";
import { SchemaForm } from "../../forms/schema-form.js";
import { schemaProblems } from "../../forms/schema-problems.js";

/** A request as a form and as JSON, side by side. A change of one changes the other. */
export function RequestEditor(form: SchemaFormProps) {
  const { node, document, value, onValue } = form;
  const [draft, setDraft] = useState<string>();
  const text = draft !== undefined && isOf(draft, value) ? draft : JSON.stringify(value, undefined, 2);
  const change = (next: string) => {
    setDraft(next);
    const parsed = parse(next);
    if (parsed !== undefined) onValue(parsed);
  };
  const check = (current: string): readonly TextProblem[] => {
    const parsed = parse(current);
    return parsed === undefined ? [] : placedProblems(current, schemaProblems(parsed, node, document));
  };
  const isBroken = parse(text) === undefined;
  return (
    <div class="columns">
      <section class="panel" aria-label="Request as a form">
        <h2>Form</h2>
        <SchemaForm
          {...form}
          onValue={(next) => {
            setDraft(undefined);
            onValue(next);
          }}
        />
      </section>
      <section class="panel" aria-label="Request as JSON">
        <h2>JSON</h2>
        <CodeEditor label="Request as JSON" value={text} onValue={change} check={check} />
        {isBroken && <p class="problem">This is not JSON yet. The form shows the last request that was.</p>}
        <Problems form={form} />
      </section>
    </div>
  );
}

/** Whether a text that was typed stands for the value: one that is not JSON yet does until the value changes. */
function isOf(draft: string, value: unknown): boolean {
  const parsed = parse(draft);
  return parsed === undefined || JSON.stringify(parsed) === JSON.stringify(value);
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function Problems({ form: { problems } }: { form: SchemaFormProps }) {
  if (problems.length === 0) return <p class="hint">The request is valid.</p>;
  return (
    <ul class="problem" aria-label="Problems of the request">
      {problems.map(({ path, message }) => (
        <li key={path.join(".")}>
          <code>{path.join(".") || "request"}</code>: {message}
        </li>
      ))}
    </ul>
  );
}
