import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { filePart } from "../../../protocol/parts.js";
import { Choice, Field, TextField } from "../components/field.js";
import { type FormNode, problemAt, setAt } from "./form-node.js";
import { type FormKind, formKind, plainHint } from "./form-schema.js";

/** Properties of a control of one value. */
export interface ValueControlProps {
  readonly place: FormNode;
  readonly label: string;
}

/** The control for a value that is neither an object with members nor a list. */
export function ValueControl(props: ValueControlProps) {
  const Control = controls[formKind(props.place.node)] ?? JsonControl;
  return <Control {...props} />;
}

/** What every control says about its value. */
function aboutOf({ place, label }: ValueControlProps) {
  return { label, hint: plainHint(place.node), problem: problemAt(place) };
}

function TextControl(props: ValueControlProps) {
  const { place, label } = props;
  const isLong = label === "text";
  return (
    <TextField
      {...aboutOf(props)}
      isLong={isLong}
      value={String(place.value ?? "")}
      onValue={(text) => setAt(place, place.path, text)}
    />
  );
}

function NumberControl(props: ValueControlProps) {
  const { place } = props;
  return (
    <TextField
      {...aboutOf(props)}
      type="number"
      value={String(place.value ?? "")}
      onValue={(text) => setAt(place, place.path, text === "" ? null : Number(text))}
    />
  );
}

function ChoiceControl(props: ValueControlProps) {
  const { place } = props;
  const { enum: names = [], "x-enum-descriptions": texts = {} } = place.node;
  return (
    <Choice
      {...aboutOf(props)}
      value={String(place.value)}
      options={names.map((name) => [name, texts[name] === undefined ? name : `${name}: ${texts[name]}`])}
      onValue={(name) => setAt(place, place.path, name)}
    />
  );
}

function BooleanControl(props: ValueControlProps) {
  const { place } = props;
  return (
    <Choice
      {...aboutOf(props)}
      value={String(place.value)}
      options={[
        ["true", "true"],
        ["false", "false"],
      ]}
      onValue={(word) => setAt(place, place.path, word === "true")}
    />
  );
}

/** Bytes are chosen as a file, or written in base64. */
function BytesControl(props: ValueControlProps) {
  const { place } = props;
  const read = async (file: File | undefined) => {
    if (file !== undefined) setAt(place, place.path, filePart(new Uint8Array(await file.arrayBuffer())).raw);
  };
  return (
    <div class="stack">
      <TextControl {...props} />
      <Field label="Or the content of a file">
        {(control) => (
          <input
            {...(control as object)}
            type="file"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
    </div>
  );
}

/** Any JSON. Text that is not JSON stays in the field, and the value stays as it was. */
function JsonControl(props: ValueControlProps) {
  const { place } = props;
  const [text, setText] = useState(() => JSON.stringify(place.value, undefined, 2));
  const [isBroken, setBroken] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      setAt(place, place.path, JSON.parse(next));
      setBroken(false);
    } catch {
      setBroken(true);
    }
  };
  const about = aboutOf(props);
  const problem = isBroken ? "This is not JSON. Text is written in quotes." : about.problem;
  return <TextField {...about} problem={problem} isLong value={text} onValue={change} />;
}

const controls: Partial<Readonly<Record<FormKind, (props: ValueControlProps) => ComponentChildren>>> = {
  text: TextControl,
  time: TextControl,
  number: NumberControl,
  choice: ChoiceControl,
  boolean: BooleanControl,
  bytes: BytesControl,
};
