import type { ComponentChildren, JSX } from "preact";

/** Properties of a {@link Button}. */
export interface ButtonProps
  extends Omit<JSX.IntrinsicElements["button"], "size" | "icon" | "disabled" | "onClick"> {
  /** How it looks: `primary` for the one action of a form, `plain` without a border. */
  readonly look?: "primary" | "plain";
  readonly isSmall?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: ((event: MouseEvent) => void) | undefined;
  readonly children: ComponentChildren;
}

/**
 * A button. It submits no form unless its type is "submit". One that is disabled does nothing, but keeps the focus: the keyboard would lose its
 * place if a button was disabled by its own press.
 */
export function Button({ look, isSmall, disabled, onClick, children, ...rest }: ButtonProps) {
  const names = ["button", look, isSmall ? "small" : undefined].filter(Boolean).join(" ");
  const press: typeof onClick = (event) => {
    if (disabled) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      class={names}
      aria-disabled={disabled ? "true" : undefined}
      onClick={press}
    >
      {children}
    </button>
  );
}
