import { useRef, useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { download } from "../../components/download.js";
import { Choice } from "../../components/field.js";
import { openRecording, openRecordings, recordingText } from "../../recordings/recording-list.js";
import { currentAgent, problemOf } from "../../session/current-agent.js";
import { currentConversation } from "../../talk/conversation.js";
import { ComparisonView } from "./comparison-view.js";
import { RecordingView } from "./recording-view.js";

/** Saves what was said, opens it again, and compares two runs. */
export function RecordingsScreen() {
  return (
    <>
      <header class="stack">
        <h1>Recordings</h1>
        <p>
          A recording is a file with every request and response, without credentials. You can open it here
          again, show it in a terminal with <code>parley recording</code>, and let a test replay it instead of
          calling the agent.
        </p>
      </header>
      <Saving />
      <Opening />
      <Opened />
    </>
  );
}

function Saving() {
  const [of, setOf] = useState<"conversation" | "page">("conversation");
  const [problem, setProblem] = useState<string>();
  const { turns } = currentConversation.value;
  if (currentAgent.value.status !== "open")
    return <Notice>Open an agent to record what you say to it. A file can be opened without one.</Notice>;
  const take = (use: (text: string) => void) => {
    const text = recordingText(of);
    setProblem(text === undefined ? "Nothing has been said yet" : undefined);
    if (text !== undefined) use(text);
  };
  return (
    <section class="panel" aria-labelledby="record">
      <h2 id="record">Record</h2>
      <div class="choices">
        <Choice
          label="What"
          value={of}
          options={[
            [
              "conversation",
              turns.value.length === 1
                ? "This conversation: 1 message"
                : `This conversation: ${turns.value.length} messages`,
            ],
            ["page", "Everything on the wire"],
          ]}
          onValue={(value) => setOf(value as typeof of)}
        />
      </div>
      {problem !== undefined && <Notice tone="warn">{problem}</Notice>}
      <div class="row">
        <Button
          look="primary"
          onClick={() =>
            take((content) => download({ content, mediaType: "application/json", name: "recording.json" }))
          }
        >
          Save as a file
        </Button>
        <Button
          onClick={() =>
            take((text) => openRecording(`This page, ${new Date().toLocaleTimeString("en-GB")}`, text))
          }
        >
          Open here, to compare it
        </Button>
      </div>
    </section>
  );
}

function Opening() {
  const chooser = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const read = async (files: Iterable<File>) => {
    setProblem(undefined);
    for (const file of files) {
      try {
        openRecording(file.name, await file.text());
      } catch (error) {
        setProblem(`${file.name}: ${problemOf(error)}`);
      }
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    void read(event.dataTransfer?.files ?? []);
  };
  return (
    <section
      class="panel"
      aria-labelledby="open-recording"
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      <h2 id="open-recording">Open</h2>
      <input
        ref={chooser}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        aria-label="Recordings to open"
        onChange={(event) => void read(event.currentTarget.files ?? [])}
      />
      <div class="row">
        <Button onClick={() => chooser.current?.click()}>Choose files</Button>
        <span class="hint">or drop them here. They stay in this page.</span>
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </section>
  );
}

function Opened() {
  const all = openRecordings.value;
  const [left, setLeft] = useState<number>();
  const [right, setRight] = useState<number>();
  const one = all.find(({ id }) => id === left) ?? all[0];
  const other = all.find(({ id }) => id === right) ?? all.at(-1);
  return (
    <>
      {all.map((recording) => (
        <RecordingView key={recording.id} recording={recording} />
      ))}
      {one !== undefined && other !== undefined && all.length > 1 && (
        <section class="panel" aria-labelledby="compare">
          <h2 id="compare">Compare</h2>
          <div class="choices">
            {(
              [
                ["One run", one, setLeft],
                ["The other", other, setRight],
              ] as const
            ).map(([label, chosen, choose]) => (
              <Choice
                key={label}
                label={label}
                value={String(chosen.id)}
                options={all.map(({ id, name }) => [String(id), name])}
                onValue={(value) => choose(Number(value))}
              />
            ))}
          </div>
          <ComparisonView key={`${one.id} ${other.id}`} left={one.file} right={other.file} />
        </section>
      )}
    </>
  );
}
