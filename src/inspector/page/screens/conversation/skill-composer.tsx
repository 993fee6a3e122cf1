import { useMemo, useState } from "preact/hooks";
import type { SkillSchemas } from "../../../../agent/skills/contract.js";
import { SKILL_KEY } from "../../../../agent/skills/published.js";
import type { JsonSchema } from "../../../../json/json-schema.js";
import type { AgentCard, Part } from "../../../../protocol/model.js";
import { dataPart } from "../../../../protocol/parts.js";
import { Button } from "../../components/button.js";
import { CodeEditor } from "../../components/code-editor.js";
import { Choice } from "../../components/field.js";
import { Tabs } from "../../components/tabs.js";
import { placedProblems } from "../../forms/json-place.js";
import { SchemaForm } from "../../forms/schema-form.js";
import { skillFormOf } from "../../skills/skill-form-schema.js";

/** Properties of a {@link SkillComposer}. */
export interface SkillComposerProps {
  readonly card: AgentCard;
  /** The contracts in the card, by skill. */
  readonly schemas: ReadonlyMap<string, SkillSchemas>;
  readonly onSend: (parts: readonly Part[], metadata: { readonly [key: string]: unknown }) => void;
}

/** Calls a skill whose input has a schema in the card. */
export function SkillComposer({ card, schemas, onSend }: SkillComposerProps) {
  const typed = card.skills.filter(({ id }) => schemas.get(id)?.input !== undefined);
  const [chosen, setChosen] = useState(typed[0]?.id ?? "");
  const skill = typed.find(({ id }) => id === chosen);
  const input = schemas.get(chosen)?.input;
  return (
    <div class="message-box">
      <Choice
        label="Skill"
        hint={skill?.description}
        value={chosen}
        options={typed.map(({ id, name }) => [id, name])}
        onValue={setChosen}
      />
      {input !== undefined && (
        <SkillInput
          key={chosen}
          schema={input}
          onSend={(value) => onSend([dataPart(value)], { [SKILL_KEY]: chosen })}
        />
      )}
    </div>
  );
}

function SkillInput({ schema, onSend }: { schema: JsonSchema; onSend: (value: unknown) => void }) {
  const form = useMemo(() => skillFormOf(schema), [schema]);
  const [text, setText] = useState(() => JSON.stringify(form.start, undefined, 2));
  const [tab, setTab] = useState(form.node === undefined ? "json" : "form");
  const parsed = parse(text);
  const problems = parsed === undefined ? [] : form.check(parsed.value);
  const write = (value: unknown) => setText(JSON.stringify(value, undefined, 2));
  const isShown = tab === "form" && form.node !== undefined && parsed !== undefined;
  const general = problems.filter(({ path }) => path.length === 0 || !isShown);
  const tabs = [
    { id: "form", label: "Form" },
    { id: "json", label: "JSON" },
  ];
  return (
    <>
      <Tabs
        label="How the input is written"
        tabs={form.node === undefined ? tabs.slice(1) : tabs}
        selected={tab}
        onSelect={setTab}
      >
        {isShown && form.node !== undefined ? (
          <SchemaForm
            node={form.node}
            document={form.document}
            value={parsed.value}
            onValue={write}
            problems={problems}
          />
        ) : (
          <CodeEditor
            label="Input of the skill as JSON"
            value={text}
            onValue={setText}
            check={(current) => {
              const value = parse(current);
              return value === undefined ? [] : placedProblems(current, form.check(value.value));
            }}
          />
        )}
      </Tabs>
      {general.map(({ message }) => (
        <span key={message} class="problem">
          {message}
        </span>
      ))}
      <div class="row">
        <Button
          look="primary"
          disabled={parsed === undefined}
          onClick={() => parsed !== undefined && onSend(parsed.value)}
        >
          Call the skill
        </Button>
        {problems.length > 0 && (
          <span class="hint">
            The input does not fit the contract. You can send it all the same, to see what the agent says.
          </span>
        )}
      </div>
    </>
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
