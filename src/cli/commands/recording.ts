import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ComparedExchanges, compareRecordings } from "../../recording/compare-recordings.js";
import { eventsIn, type RecordedEvent, summaryOf } from "../../recording/recorded-events.js";
import type { RecordedExchange } from "../../recording/recorded-exchange.js";
import { type RecordingFile, readRecording } from "../../recording/recording-file.js";
import type { Command } from "../command.js";
import { Failure, fileFailure } from "../failure.js";
import type { Io } from "../output.js";
import type { Page } from "../text/page.js";

/** `parley recording show`: the calls in a recording and the events that they returned. */
export const recordingShow: Command = {
  path: ["recording", "show"],
  summary: "Show the calls and events in a recording",
  args: [{ name: "file", help: "A recording, which the inspector or a test saved" }],
  options: [],
  examples: ["parley recording show run.json"],
  async run({ words: [path = ""], io, output }) {
    const file = await readRecordingFile(path, io);
    output.print(file, (page) => writeFile(page, file));
  },
};

/** `parley recording compare`: the differences between the events of two recordings. */
export const recordingCompare: Command = {
  path: ["recording", "compare"],
  summary: "Compare two recordings event by event, except for ids and times",
  args: [
    { name: "file", help: "A recording" },
    { name: "other", help: "Another recording" },
  ],
  options: [],
  examples: ["parley recording compare yesterday.json today.json"],
  async run({ words: [path = "", other = ""], io, output }) {
    const pairs = compareRecordings(await readRecordingFile(path, io), await readRecordingFile(other, io));
    output.print({ exchanges: pairs }, (page) => {
      for (const [place, pair] of pairs.entries()) writePair(page, pair, place + 1);
    });
    if (pairs.some(({ isSame }) => !isSame))
      throw new Failure("PARLEY_ERR_DIFFERENT", "The recordings differ", { isShown: true });
  },
};

async function readRecordingFile(path: string, io: Io): Promise<RecordingFile> {
  const text = await readFile(resolve(io.folder, path), "utf8").catch((cause: unknown) => {
    throw fileFailure(`${path} cannot be read`, cause);
  });
  try {
    return readRecording(text);
  } catch (cause) {
    throw fileFailure(`${path} cannot be used`, cause);
  }
}

function writeFile(page: Page, { agent, recorded, exchanges }: RecordingFile): void {
  page.field("Agent", agent.name === undefined ? agent.url : `${agent.name} (${agent.url})`);
  page.field("Recorded", recorded);
  for (const [place, exchange] of exchanges.entries()) {
    const lines = [
      ...eventsIn(exchange).map(lineOf),
      ...(exchange.failure === undefined ? [] : [exchange.failure]),
    ];
    page.block(`${place + 1}. ${titleOf(exchange)}`, lines.join("\n"));
  }
}

/** Writes an exchange as `diff` does: lines that only the first recording has begin with `-`, those of the other one with `+`. */
function writePair(page: Page, { left, right, events }: ComparedExchanges, place: number): void {
  const shown = left ?? right;
  if (shown === undefined) return;
  const lines = events.flatMap(({ left: one, right: other, isSame }) => {
    if (isSame && one !== undefined) return [`  ${lineOf(one)}`];
    return [
      ...(one === undefined ? [] : [`- ${lineOf(one)}`]),
      ...(other === undefined ? [] : [`+ ${lineOf(other)}`]),
    ];
  });
  if (left?.status !== right?.status)
    lines.unshift(
      ...[left && `- status ${left.status}`, right && `+ status ${right.status}`].flatMap(
        (line) => line ?? [],
      ),
    );
  page.block(`${place}. ${titleOf(shown)}`, lines.join("\n"));
}

function titleOf({ purpose, method, url, status, times }: RecordedExchange): string {
  const took = times?.ended === undefined ? "" : `  ${Math.round(times.ended)} ms`;
  return `${purpose ?? method} ${url}  ${status === 0 ? "no answer" : status}${took}`;
}

function lineOf({ id, at, value }: RecordedEvent): string {
  const time = at === undefined ? "" : `+${Math.round(at)} ms  `;
  return `${time}${id === undefined ? "" : `${id}  `}${summaryOf(value)}`;
}
