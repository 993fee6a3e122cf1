import { LongText } from "./long-text.js";

/** Long text in a box that scrolls. */
export function ScrollText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the text
    <section class="scroll" tabIndex={0} aria-label={label}>
      <pre>
        <LongText text={text} />
      </pre>
    </section>
  );
}
