import { useState } from "preact/hooks";
import { download } from "./download.js";

/** Characters that are shown at first. */
const LIMIT = 20_000;
/** Characters that a page can show without trouble. All of a longer text is saved as a file. */
const MOST = 1_000_000;

/** Text, never HTML. Of long text the beginning, with a way to the rest. */
export function LongText({ text, limit = LIMIT }: { text: string; limit?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= limit) return <>{text}</>;
  const shown = text.slice(0, isWhole ? MOST : limit);
  return (
    <>
      {shown}
      {shown.length < text.length && (
        <span class="hint">
          {" "}
          … {shown.length.toLocaleString("en")} of {text.length.toLocaleString("en")} characters are shown.{" "}
        </span>
      )}
      {!isWhole && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          Show more
        </button>
      )}
      {text.length > MOST && (
        <button
          type="button"
          class="button small"
          onClick={() => download({ content: text, mediaType: "text/plain", name: "text.txt" })}
        >
          Save all of it
        </button>
      )}
    </>
  );
}
