import { Choice } from "../components/field.js";
import { type FormNode, setAt } from "./form-node.js";
import { blankValue } from "./form-schema.js";

/** The choice of the one member that an object has of several, such as the content of a part. */
export function AlternativeChoice({ place, names }: { place: FormNode; names: readonly string[] }) {
  const { form, node, path, value } = place;
  const record = Object(value) as Readonly<Record<string, unknown>>;
  const present = names.filter((name) => record[name] !== undefined);
  const choose = (chosen: string) => {
    const rest = Object.entries(record).filter(([name]) => !names.includes(name));
    const empty = blankValue(node.properties?.[chosen] ?? {}, form.document);
    setAt(place, path, { [chosen]: empty, ...Object.fromEntries(rest) });
  };
  return (
    <Choice
      label="Kind"
      hint={`Exactly one of ${names.join(", ")}.`}
      value={present[0] ?? ""}
      options={names.map((name) => [name, name])}
      onValue={choose}
    />
  );
}
