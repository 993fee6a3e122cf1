import { Button } from "../components/button.js";
import { AlternativeChoice } from "./alternative-choice.js";
import { type FormNode, problemAt, type SchemaFormProps, setAt } from "./form-node.js";
import { blankValue, formKind, oneOfNames, plainHint, resolveNode } from "./form-schema.js";
import { ValueControl } from "./value-control.js";

/** A form made from a schema: required members, those that are present, and a button for each that may be added. */
export function SchemaForm(form: SchemaFormProps) {
  const node = resolveNode(form.node, form.document);
  return <Members form={form} node={node} path={[]} value={form.value} />;
}

/** The members of an object. */
function Members(place: FormNode) {
  const { form, node, path, value } = place;
  const { properties = {}, required = [] } = node;
  const record = Object(value) as Readonly<Record<string, unknown>>;
  const alternatives = oneOfNames(node);
  const isShown = (name: string) => required.includes(name) || record[name] !== undefined;
  const absent = Object.keys(properties).filter((name) => !isShown(name) && !alternatives.includes(name));
  return (
    <div class="stack">
      {alternatives.length > 0 && <AlternativeChoice place={place} names={alternatives} />}
      {Object.entries(properties)
        .filter(([name]) => isShown(name))
        .map(([name, member]) => (
          <Member
            key={name}
            name={name}
            canRemove={!required.includes(name) && !alternatives.includes(name)}
            place={{
              form,
              node: resolveNode(member, form.document),
              path: [...path, name],
              value: record[name],
            }}
          />
        ))}
      {absent.length > 0 && (
        <div class="row">
          <span class="hint">Add:</span>
          {absent.map((name) => (
            <Button
              key={name}
              isSmall
              title={plainHint(properties[name] ?? {}) ?? name}
              onClick={() => setAt(place, [...path, name], blankValue(properties[name] ?? {}, form.document))}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

function Member({ name, canRemove, place }: { name: string; canRemove: boolean; place: FormNode }) {
  const { node, path } = place;
  const remove = canRemove && (
    <Button isSmall look="plain" aria-label={`Remove ${name}`} onClick={() => setAt(place, path, undefined)}>
      Remove
    </Button>
  );
  const kind = formKind(node);
  if (kind !== "object" && kind !== "list")
    return (
      <div class="member">
        <ValueControl place={place} label={name} />
        {remove}
      </div>
    );
  return (
    <fieldset>
      <legend>{name}</legend>
      <div class="stack">
        <div class="row end">
          <span class="hint">{plainHint(node)}</span>
          {remove}
        </div>
        {problemAt(place) !== undefined && <span class="problem">{problemAt(place)}</span>}
        {kind === "object" ? <Members {...place} /> : <Entries place={place} name={name} />}
      </div>
    </fieldset>
  );
}

function Entries({ place, name }: { place: FormNode; name: string }) {
  const { form, node, path, value } = place;
  const list = Array.isArray(value) ? value : [];
  const items = resolveNode(node.items ?? {}, form.document);
  return (
    <div class="stack">
      {list.map((entry, index) => (
        <Member
          key={index}
          name={`${name} ${index + 1}`}
          canRemove={list.length > (node.minItems ?? 0)}
          place={{ form, node: items, path: [...path, index], value: entry }}
        />
      ))}
      <div>
        <Button
          isSmall
          onClick={() => setAt(place, [...path, list.length], blankValue(items, form.document))}
        >
          Add to {name}
        </Button>
      </div>
    </div>
  );
}
