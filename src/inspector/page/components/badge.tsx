import type { ComponentChildren } from "preact";

/** What a colour means. The words say it as well. */
export type Tone = "good" | "warn" | "bad" | "accent" | "quiet";

/** A word that says the state of something. */
export function Badge({ tone = "quiet", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A message about the whole of a screen or panel. Screen readers read it when it appears. */
export function Notice({ tone = "accent", children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}
