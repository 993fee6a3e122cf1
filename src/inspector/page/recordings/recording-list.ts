import { signal } from "@preact/signals";
import { type RecordingFile, readRecording, writeRecording } from "../../../recording/recording-file.js";
import { recorder } from "../session/agent-fetch.js";
import { currentAgent } from "../session/current-agent.js";
import { sentCredentials } from "../session/held-credentials.js";
import { currentConversation } from "../talk/conversation.js";
import { conversationExchanges, recordedExchanges } from "./record-exchange.js";

/** A recording that is open. */
export interface OpenRecording {
  readonly id: number;
  readonly name: string;
  readonly file: RecordingFile;
}

/** The recordings that are open, the oldest first. */
export const openRecordings = signal<readonly OpenRecording[]>([]);

let count = 0;

/** The text of a file with the conversation, or with everything since the page was opened. Credentials are removed. */
export function recordingText(of: "conversation" | "page"): string | undefined {
  const agent = currentAgent.value;
  if (agent.status !== "open") return undefined;
  const turns = currentConversation.value.turns.value;
  const ids = new Set(turns.flatMap(({ turn }) => turn.connections.map(({ exchange }) => exchange)));
  const all = recorder.exchanges.value;
  const exchanges = of === "page" ? all : conversationExchanges(all, ids);
  const [first] = exchanges;
  if (first === undefined) return undefined;
  return writeRecording({
    agent: { url: agent.url, name: agent.card.name },
    exchanges: recordedExchanges(exchanges),
    recorded: new Date(first.startedAt),
    secrets: sentCredentials(),
  });
}

/**
 * Opens the text of a recording. Its name gets a number if another open recording has the same name.
 * @throws TypeError that names what is wrong with it
 */
export function openRecording(name: string, text: string): void {
  const file = readRecording(text);
  const names = openRecordings.value.map((recording) => recording.name);
  let unique = name;
  for (let number = 2; names.includes(unique); number++) unique = `${name} (${number})`;
  count += 1;
  openRecordings.value = [...openRecordings.value, { id: count, name: unique, file }];
}

/** Closes a recording. */
export function closeRecording(id: number): void {
  openRecordings.value = openRecordings.value.filter((recording) => recording.id !== id);
}
