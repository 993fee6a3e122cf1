import type { ComponentChildren, JSX } from "preact";

/** Properties of a {@link Button}. */
export interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "size" | "icon"> {
  /** How it looks: `primary` for the one action of a form, `plain` without a border. */
  readonly look?: "primary" | "plain";
  readonly isSmall?: boolean;
  readonly children: ComponentChildren;
}

/** A button. It submits no form unless its type is "submit". */
export function Button({ look, isSmall, children, ...rest }: ButtonProps) {
  const names = ["button", look, isSmall ? "small" : undefined].filter(Boolean).join(" ");
  return (
    <button type="button" {...rest} class={names}>
      {children}
    </button>
  );
}
