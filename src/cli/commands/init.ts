import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import type { Command } from "../command.js";
import { fileFailure } from "../failure.js";
import { packageVersion } from "../package-version.js";
import { projectFiles } from "../project-files.js";

/** `parley init`: a project with an agent that runs. */
export const init: Command = {
  path: ["init"],
  summary: "Make a project with an agent that runs",
  args: [{ name: "folder", help: "Folder for the project; it must be empty, or not there" }],
  options: [],
  examples: ["parley init my-agent && cd my-agent && npm start"],
  async run({ words, io, output, notes }) {
    const [path = "."] = words;
    const folder = resolve(io.folder, path);
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      throw fileFailure(`${path} cannot be made`, cause);
    });
    if ((await readdir(folder)).length > 0) throw fileFailure(`${path} is not empty`);
    const files = projectFiles(packageName(basename(folder)), packageVersion());
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    output.print({ folder, files: Object.keys(files) }, (page) => {
      for (const name of Object.keys(files)) page.field("Created", join(path, name));
    });
    const place = relative(io.folder, folder);
    notes.hint(`${place === "" ? "" : `cd ${place} && `}npm start`);
  },
};

/** A name that npm takes. */
function packageName(word: string): string {
  const name = word
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name || "agent";
}
