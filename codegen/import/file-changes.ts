import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Folder with the old files while files are changed. */
const undoFolder = ".cache/schema-undo";

/** The message of a command that has restored files. */
export const restored = "an earlier command did not come to its end: the files are as they were before it\n";

/** What is written before the first file changes: which files there were, whose texts lie beside it, and which are new. */
interface Undo {
  readonly present: readonly string[];
  readonly added: readonly string[];
}

/**
 * Changes to several files of a repository that are made together. When the process ends in between, `restoreFiles` puts the old state
 * back; every command that reads the files does so first.
 */
export class FileChanges {
  readonly #root: string;
  /** Texts by path below the root; undefined for a file that goes. */
  readonly #texts = new Map<string, string | undefined>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The text of a file as it will be; undefined when there is none. */
  async read(path: string): Promise<string | undefined> {
    return this.#texts.has(path) ? this.#texts.get(path) : textOf(join(this.#root, path));
  }

  /** Paths of the files that will be in a folder and those below it, sorted. */
  async list(folder: string): Promise<string[]> {
    const entries = await readdir(join(this.#root, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(this.#root.length + 1)
          .replaceAll("\\", "/"),
      );
    for (const path of this.#texts.keys()) if (path.startsWith(`${folder}/`)) paths.push(path);
    return [...new Set(paths)].filter((path) => !this.#isRemoved(path)).sort();
  }

  write(path: string, text: string): void {
    this.#texts.set(path, text);
  }

  remove(path: string): void {
    this.#texts.set(path, undefined);
  }

  /** Makes the changes. Files that keep their text are not touched. */
  async commit(): Promise<void> {
    await restoreFiles(this.#root);
    const changes: { path: string; before: string | undefined; text: string | undefined }[] = [];
    for (const [path, text] of this.#texts) {
      const before = await textOf(join(this.#root, path));
      if (before !== text) changes.push({ path, before, text });
    }
    if (changes.length === 0) return;
    const undo = join(this.#root, undoFolder);
    await rm(`${undo}.next`, { recursive: true, force: true });
    for (const { path, before } of changes)
      if (before !== undefined) await writeText(join(`${undo}.next`, "files", path), before);
    const list: Undo = {
      present: changes.filter(({ before }) => before !== undefined).map(({ path }) => path),
      added: changes.filter(({ before }) => before === undefined).map(({ path }) => path),
    };
    await writeText(join(`${undo}.next`, "list.json"), JSON.stringify(list));
    // From here on the old state comes back, until the folder has gone.
    await rename(`${undo}.next`, undo);
    for (const { path, text } of changes) {
      if (text === undefined) await removeFile(this.#root, path);
      else await writeText(join(this.#root, path), text);
    }
    await forget(undo);
  }

  #isRemoved(path: string): boolean {
    return this.#texts.has(path) && this.#texts.get(path) === undefined;
  }
}

/**
 * Puts the state back that there was before changes which did not come to their end.
 * @returns how many files were restored; 0 when nothing was left unfinished
 */
export async function restoreFiles(root: string): Promise<number> {
  const undo = join(root, undoFolder);
  const list = await textOf(join(undo, "list.json"));
  if (list === undefined) return 0;
  const { present, added }: Undo = JSON.parse(list);
  for (const path of present)
    await writeText(join(root, path), await readFile(join(undo, "files", path), "utf8"));
  for (const path of added) await removeFile(root, path);
  await forget(undo);
  return present.length + added.length;
}

/** Ends the changes in one step: a folder that is half removed would restore half a state. */
async function forget(undo: string): Promise<void> {
  await rm(`${undo}.done`, { recursive: true, force: true });
  await rename(undo, `${undo}.done`);
  await rm(`${undo}.done`, { recursive: true });
}

async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Removes a file, and folders that are empty without it. */
async function removeFile(root: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const gone = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!gone) return;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? readFile(path, "utf8") : undefined;
}
