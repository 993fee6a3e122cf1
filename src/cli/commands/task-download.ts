import { mkdir, writeFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import type { Artifact, Part } from "../../protocol/model.js";
import { bytesOf } from "../../protocol/parts.js";
import type { Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { fileFailure, usage } from "../failure.js";
import { callOptions } from "../options.js";

/** `parley task download`: saves the artifacts of a task as files. */
export const taskDownload: Command = {
  path: ["task", "download"],
  summary: "Save the artifacts of a task as files",
  args: [{ name: "taskId", help: "Id of the task" }],
  options: [
    { name: "folder", takes: "path", fallback: ".", help: "Folder for the files" },
    { name: "artifact", takes: "id", help: "Only this artifact" },
    { name: "force", help: "Overwrite existing files" },
    ...callOptions,
  ],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { words, values, signal, io, output, notes } = call;
  const [id = ""] = words;
  const client = await connectAgent(call);
  const { artifacts = [], contextId, status } = await client.getTask({ id, historyLength: 0 }, { signal });
  const only = values.text("artifact");
  const chosen = artifacts.filter(({ artifactId }) => only === undefined || artifactId === only);
  if (only !== undefined && chosen.length === 0) throw usage(`The task has no artifact "${only}"`);
  const folder = resolve(io.folder, values.text("folder") ?? ".");
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw fileFailure(`${folder} cannot be created`, cause);
  });
  const saved: string[] = [];
  const taken = new Set<string>();
  for (const { name, content } of chosen.flatMap(filesOf)) {
    if (content === undefined) notes.warn(`not downloaded, because the agent only has its URL: ${name}`);
    else saved.push(await save(join(folder, freeName(name, taken)), content, values.isOn("force")));
  }
  output.print({ taskId: id, contextId, state: status.state, files: saved }, (page) => {
    page.field("Task", id);
    page.field("Context", contextId);
    page.field("State", status.state);
    for (const path of saved) page.field("Saved", path);
  });
}

interface Saved {
  readonly name: string;
  /** Undefined for a file at a URL, which is only listed. */
  readonly content: string | Uint8Array | undefined;
}

/** A name that no file of this download has, regardless of case: `report.txt`, then `report-2.txt`. */
function freeName(name: string, taken: Set<string>): string {
  const end = extname(name);
  let free = name;
  for (let count = 2; taken.has(free.toLowerCase()); count += 1)
    free = `${name.slice(0, name.length - end.length)}-${count}${end}`;
  taken.add(free.toLowerCase());
  return free;
}

/** The files of an artifact: all of its text becomes one file, and every other part its own file. */
function filesOf({ artifactId, name, parts }: Artifact): Saved[] {
  const stem = safeName(name || artifactId);
  const files: Saved[] = [];
  const text = parts.map((part) => part.text ?? "").join("");
  if (text !== "") files.push({ name: withEnd(stem, ".txt"), content: text });
  const others = parts.filter((part) => part.text === undefined);
  for (const [index, part] of others.entries()) {
    const number = others.length > 1 ? `-${index + 1}` : "";
    files.push(fileOf(part, `${stem}${number}`));
  }
  return files;
}

function fileOf(part: Part, stem: string): Saved {
  if (part.url !== undefined) return { name: part.url, content: undefined };
  const own = part.filename && safeName(part.filename);
  if (part.raw !== undefined) return { name: own || withEnd(stem, ".bin"), content: bytesOf(part) };
  return { name: own || withEnd(stem, ".json"), content: `${JSON.stringify(part.data, undefined, 2)}\n` };
}

/** A file name without path, leading dots and characters that Windows does not allow. It cannot lead out of the folder. */
function safeName(name: string): string {
  const word = basename(name.replaceAll("\\", "/"))
    .replace(/[\p{Cc}<>:"|?*]/gu, "_")
    .replace(/^\.+/, "");
  return word || "artifact";
}

function withEnd(stem: string, end: string): string {
  return /\.\w{1,5}$/.test(stem) ? stem : stem + end;
}

async function save(path: string, content: string | Uint8Array, force: boolean): Promise<string> {
  await writeFile(path, content, { flag: force ? "w" : "wx" }).catch((cause: unknown) => {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw isThere
      ? fileFailure(`${path} already exists; --force overwrites it`)
      : fileFailure(`${path} cannot be written`, cause);
  });
  return path;
}
