import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Part } from "../../../protocol/model.js";
import { bytesOf } from "../../../protocol/parts.js";
import { Button } from "../components/button.js";
import { CopyButton } from "../components/copy-button.js";
import { DataTree } from "../components/data-tree.js";
import { download } from "../components/download.js";
import { LongText } from "../components/long-text.js";
import { Markdown, safeLink } from "../components/markdown.js";
import { ScrollText } from "../components/scroll-text.js";
import { BlobMedia } from "./blob-media.js";
import { bareType, isTextFile, type PartKind, partKind, rawSize, sizeText } from "./part-kind.js";

/** One part of a message or artifact, whatever is in it. Nothing in it is run, and nothing is loaded from elsewhere. */
export function PartView({ part }: { part: Part }) {
  const Kind = kinds[partKind(part)];
  return (
    <div class="part">
      <Kind part={part} />
    </div>
  );
}

const kinds: Readonly<Record<PartKind, (props: { part: Part }) => ComponentChildren>> = {
  markdown: MarkdownPart,
  text: ({ part }) => <PlainText text={part.text ?? ""} name={part.filename} type={part.mediaType} />,
  image: ({ part }) => <MediaPart part={part} kind="image" />,
  audio: ({ part }) => <MediaPart part={part} kind="audio" />,
  data: DataPart,
  link: LinkPart,
  file: FilePart,
  unknown: ({ part }) => <DataTree value={part} label="A part of an unknown kind" />,
};

function MarkdownPart({ part: { text = "" } }: { part: Part }) {
  const [isSource, setSource] = useState(false);
  const shown = useMemo(() => (isSource ? undefined : <Markdown text={text} />), [text, isSource]);
  const hasMarks = /[*_`#>|[\]]|^\s*(?:[-+]|\d+\.)\s/m.test(text);
  return (
    <>
      {shown ?? <PlainText text={text} />}
      {hasMarks && (
        <div>
          <Button isSmall look="plain" onClick={() => setSource(!isSource)}>
            {isSource ? "Show formatted" : "Show source"}
          </Button>
        </div>
      )}
    </>
  );
}

interface PlainTextProps {
  readonly text: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

function PlainText({ text, name, type }: PlainTextProps) {
  const about = [name, type === "text/plain" ? undefined : type].filter(Boolean).join(" · ");
  return (
    <>
      {about !== "" && <div class="hint">{about}</div>}
      <div class="text">
        <LongText text={text} />
      </div>
    </>
  );
}

function DataPart({ part: { data, mediaType } }: { part: Part }) {
  return (
    <>
      <div class="row end">
        <span class="hint">Data{mediaType === undefined ? "" : ` · ${mediaType}`}</span>
        <CopyButton text={() => JSON.stringify(data, undefined, 2)} label="Copy as JSON" />
      </div>
      <DataTree value={data} label="Data" />
    </>
  );
}

function LinkPart({ part: { url = "", filename, mediaType } }: { part: Part }) {
  const target = safeLink(url);
  return (
    <>
      <div class="hint">
        {["A file elsewhere, which the inspector does not load", filename, mediaType]
          .filter(Boolean)
          .join(" · ")}
      </div>
      {target === undefined ? (
        <span class="mono">{url}</span>
      ) : (
        <a class="mono" href={target} target="_blank" rel="noopener noreferrer nofollow">
          {url}
        </a>
      )}
    </>
  );
}

function FilePart({ part }: { part: Part }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <FileLine part={part}>
        {isTextFile(part) && (
          <Button isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide text" : "Show text"}
          </Button>
        )}
      </FileLine>
      {isOpen && (
        <ScrollText
          label={`Text of ${part.filename ?? "the file"}`}
          text={new TextDecoder().decode(decoded(part.raw))}
        />
      )}
    </>
  );
}

/** Bytes of images and sounds that are decoded without a click. */
const AT_ONCE = 8_000_000;

function MediaPart({ part, kind }: { part: Part; kind: "image" | "audio" }) {
  const [isWanted, setWanted] = useState(rawSize(part.raw ?? "") <= AT_ONCE);
  const { raw = "" } = part;
  const bytes = useMemo(() => (isWanted ? decoded(raw) : undefined), [isWanted, raw]);
  const name = part.filename ?? (kind === "image" ? "Image from the agent" : "Sound from the agent");
  return (
    <>
      {bytes === undefined ? (
        <div>
          <Button isSmall onClick={() => setWanted(true)}>
            {kind === "image" ? "Show the image" : "Load the sound"}
          </Button>
        </div>
      ) : (
        <BlobMedia kind={kind} bytes={bytes} type={bareType(part.mediaType)} name={name} />
      )}
      <FileLine part={part} />
    </>
  );
}

/** Name, type and size of a file, and a way to save it. */
function FileLine({ part, children }: { part: Part; children?: ComponentChildren }) {
  const { filename = "unnamed file", mediaType, raw = "" } = part;
  const save = () => download({ content: decoded(raw), mediaType, name: filename });
  return (
    <div class="row">
      <strong class="filename">{filename}</strong>
      <span class="hint">
        {mediaType ?? "no type"} · {sizeText(rawSize(raw))}
      </span>
      {children}
      <Button isSmall aria-label={`Save ${filename}`} onClick={save}>
        Save
      </Button>
    </div>
  );
}

/** The bytes of a file; none when it is not base64. */
function decoded(raw: string | undefined): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytesOf({ raw: raw ?? "" }));
  } catch {
    return new Uint8Array();
  }
}
