import { useRef, useState } from "preact/hooks";
import type { Part } from "../../../../protocol/model.js";
import { Button } from "../../components/button.js";
import { CodeEditor } from "../../components/code-editor.js";
import { Dialog } from "../../components/dialog.js";
import { rawSize, sizeText } from "../../parts/part-kind.js";
import { dataPartOf, partsOfFiles } from "./draft-parts.js";

/** Properties of {@link Attachments} and {@link AttachButtons}. */
export interface AttachmentsProps {
  readonly parts: readonly Part[];
  readonly onParts: (parts: readonly Part[]) => void;
}

/** What is attached to a message. */
export function Attachments({ parts, onParts }: AttachmentsProps) {
  if (parts.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attached to the message">
      {parts.map((part, index) => (
        <li key={index} class="row">
          <span>{nameOf(part)}</span>
          <Button
            isSmall
            look="plain"
            aria-label={`Remove ${nameOf(part)}`}
            onClick={() => onParts(parts.filter((other) => other !== part))}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Ways to attach more to a message. */
export function AttachButtons({ parts, onParts }: AttachmentsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [isEditing, setEditing] = useState(false);
  const choose = async (files: FileList | null) => onParts([...parts, ...(await partsOfFiles(files ?? []))]);
  return (
    <>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => void choose(event.currentTarget.files)}
      />
      <Button isSmall onClick={() => chooser.current?.click()}>
        Attach files
      </Button>
      <Button isSmall onClick={() => setEditing(true)}>
        Attach data
      </Button>
      {isEditing && (
        <DataDialog onClose={() => setEditing(false)} onPart={(part) => onParts([...parts, part])} />
      )}
    </>
  );
}

function nameOf({ filename, raw, data }: Part): string {
  if (raw !== undefined) return `${filename ?? "File"} (${sizeText(rawSize(raw))})`;
  return data === undefined ? "Part" : `Data: ${JSON.stringify(data).slice(0, 40)}`;
}

function DataDialog({ onClose, onPart }: { onClose: () => void; onPart: (part: Part) => void }) {
  const [text, setText] = useState("{}");
  const part = dataPartOf(text);
  const attach = () => {
    if (part === undefined) return;
    onPart(part);
    onClose();
  };
  return (
    <Dialog title="Attach data" onClose={onClose}>
      <p>JSON that is sent as a part of the message, beside its text.</p>
      <CodeEditor label="Data as JSON" value={text} onValue={setText} />
      <div>
        <Button look="primary" disabled={part === undefined} onClick={attach}>
          Attach
        </Button>
      </div>
    </Dialog>
  );
}
