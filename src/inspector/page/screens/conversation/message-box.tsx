import { useId, useRef, useState } from "preact/hooks";
import type { Part } from "../../../../protocol/model.js";
import { Button } from "../../components/button.js";
import { AttachButtons, Attachments } from "./attachments.js";
import { draftParts, filesIn, partsOfFiles } from "./draft-parts.js";

/** Properties of a {@link MessageBox}. */
export interface MessageBoxProps {
  readonly label: string;
  readonly action: string;
  readonly placeholder?: string;
  /** Sends what was written. */
  readonly onSend: (parts: readonly Part[], text: string) => void;
}

/** A box for a message: text, files that are dropped, pasted or chosen, and data. Enter sends; Shift+Enter makes a line. */
export function MessageBox({ label, action, placeholder, onSend }: MessageBoxProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [attached, setAttached] = useState<readonly Part[]>([]);
  const [isOver, setOver] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const parts = draftParts(text, attached);
  const attach = async (files: readonly File[]) => {
    const added = await partsOfFiles(files);
    setAttached((before) => [...before, ...added]);
  };
  const send = (event?: Event) => {
    event?.preventDefault();
    if (parts.length === 0) return;
    onSend(parts, text);
    setText("");
    setAttached([]);
    box.current?.focus();
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void attach(filesIn(event.dataTransfer));
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = filesIn(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <form
      class={isOver ? "message-box over" : "message-box"}
      onSubmit={send}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <label for={id}>{label}</label>
      <textarea
        id={id}
        ref={box}
        class="input"
        rows={3}
        value={text}
        placeholder={placeholder}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <Attachments parts={attached} onParts={setAttached} />
      <div class="row">
        <Button look="primary" type="submit" disabled={parts.length === 0}>
          {action}
        </Button>
        <AttachButtons parts={attached} onParts={setAttached} />
        <span class="hint">Drop files here. Shift+Enter makes a new line.</span>
      </div>
    </form>
  );
}
