import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.js";

/** Properties of a {@link Dialog}. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <div class="row end">
          <h2 id={id}>{title}</h2>
          <Button isSmall onClick={() => dialog.current?.close()}>
            Close
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
