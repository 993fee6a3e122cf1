import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { moveFocus } from "./roving-focus.js";

/** One of several {@link Tabs}. */
export interface Tab {
  readonly id: string;
  readonly label: ComponentChildren;
}

/** Properties of {@link Tabs}. */
export interface TabsProps {
  /** Name of the group, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  /** The panel of the selected tab. */
  readonly children: ComponentChildren;
}

/** Tabs over a panel: arrow keys, Home and End move between them. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const id = useId();
  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={moveFocus}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            class="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            onFocus={() => tab.id !== selected && onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="stack" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
