import { useMemo, useState } from "preact/hooks";
import { Button } from "../../components/button.js";
import { CopyButton } from "../../components/copy-button.js";
import { DataTree } from "../../components/data-tree.js";
import { download } from "../../components/download.js";
import { ScrollText } from "../../components/scroll-text.js";
import { Tabs } from "../../components/tabs.js";
import { VirtualList } from "../../components/virtual-list.js";
import { hexLine, hexLineCount, joined } from "../../wire/hex-lines.js";

/** Bytes of JSON that are shown as a tree. */
const MOST_JSON = 4 * 1024 * 1024;

/** Properties of a {@link BodyView}. */
export interface BodyViewProps {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly chunks?: readonly Uint8Array[];
  /** Hides secrets in the text of the body. */
  readonly mask?: (text: string) => string;
  readonly mediaType?: string | undefined;
  /** Name of the file when it is saved. */
  readonly name: string;
  /** Whether its end was not kept. */
  readonly isCut: boolean;
}

/** A body as text, as JSON, and byte for byte. */
export function BodyView({
  bytes,
  chunks = [],
  mask = (text) => text,
  mediaType,
  name,
  isCut,
}: BodyViewProps) {
  const [selected, select] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array of chunks is the same while it grows
  const raw = useMemo(() => bytes ?? joined(chunks), [bytes, chunks.length]);
  const plain = useMemo(() => new TextDecoder().decode(raw), [raw]);
  const text = mask(plain);
  const json = useMemo(() => (raw.length <= MOST_JSON ? jsonIn(text) : undefined), [text, raw.length]);
  if (raw.length === 0) return <p class="hint">No body.</p>;
  // Bytes would show what the mask hides.
  const isMasked = text !== plain;
  const content = isMasked ? text : raw;
  const tabs = [
    ...(json !== undefined ? [{ id: "json", label: "JSON" }] : []),
    { id: "text", label: "Text" },
    ...(isMasked ? [] : [{ id: "bytes", label: "Bytes" }]),
  ];
  const shown = selected ?? tabs[0]?.id ?? "text";
  return (
    <div class="stack">
      <div class="row">
        <span class="label">Body, {raw.length.toLocaleString("en")} bytes</span>
        <CopyButton text={text} />
        <Button
          isSmall
          onClick={() => download({ content, mediaType, name: `${name}${json ? ".json" : ".txt"}` })}
        >
          Save
        </Button>
      </div>
      {isCut && <p class="hint">Only the first 8 MiB were kept.</p>}
      <Tabs label="Forms of the body" tabs={tabs} selected={shown} onSelect={select}>
        {shown === "json" && <DataTree label="Body as JSON" value={json} />}
        {shown === "text" && <ScrollText label="Body as text" text={text} />}
        {shown === "bytes" && (
          <VirtualList
            label="Bytes"
            rows={Array.from({ length: hexLineCount(raw) }, (_, line) => line)}
            rowHeight={22}
            height={330}
            row={(line) => <code class="line hex">{hexLine(raw, line)}</code>}
          />
        )}
      </Tabs>
    </div>
  );
}

function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
