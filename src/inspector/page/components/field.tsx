import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** What a {@link Field} gives to its control. */
export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

/** Properties of a {@link Field}. */
export interface FieldProps {
  readonly label: ComponentChildren;
  readonly hint?: string | undefined;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly children: (control: ControlProps) => ComponentChildren;
}

/** A labelled control with a hint and, if its value is wrong, what is wrong with it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": problem !== undefined })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {problem && (
        <span class="problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
    </div>
  );
}

/** Properties of a {@link TextField}. */
export interface TextFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "text" | "url" | "password" | "number" | "datetime-local";
  readonly placeholder?: string;
  /** Several lines. */
  readonly isLong?: boolean;
  readonly name?: string;
}

/** A field for text, of one line or several. */
export function TextField({
  value,
  onValue,
  type = "text",
  placeholder,
  isLong,
  name,
  ...rest
}: TextFieldProps) {
  const own = { class: "input", value, placeholder, name, spellcheck: false, autocomplete: "off" } as const;
  return (
    <Field {...rest}>
      {(control) =>
        isLong ? (
          <textarea {...control} {...own} rows={3} onInput={(event) => onValue(event.currentTarget.value)} />
        ) : (
          // The types of Preact have another object for each type of input.
          <input
            {...({ ...control, ...own, type } as object)}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** Properties of a {@link Choice}. */
export interface ChoiceProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onValue: (value: string) => void;
}

/** A field for one of several values. */
export function Choice({ value, options, onValue, ...rest }: ChoiceProps) {
  return (
    <Field {...rest}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
