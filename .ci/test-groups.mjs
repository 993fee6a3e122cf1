// Test files that share a process. Starting a process and loading the library costs more than most files of tests do, so a
// full run gives each folder below test/ one process. Files that change what others in the process would notice run alone.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./run-record.mjs";

const folder = join(root, ".cache", "groups");

/** Hooks for the whole process, replaced clocks, and looks at all that is open in the process. */
const alone = /^(before|after|beforeEach|afterEach)\(|mock\.timers|getActiveResourcesInfo/m;

/** Groups of more files than this are split, so that two processes have about the same to do. */
const MANY = 12;

/**
 * Writes a file per group that loads its test files in turn.
 * @param files paths of test files, relative to the root
 * @returns paths of what to run, relative to the root
 */
export function grouped(files) {
  const groups = new Map();
  const single = [];
  for (const file of files) {
    if (alone.test(readFileSync(join(root, file), "utf8"))) single.push(file);
    else {
      const [, name = "root"] = file.includes("/", 5) ? file.split("/") : [];
      const group = groups.get(name) ?? [];
      groups.set(name, [...group, file]);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries = [...groups].flatMap(([name, members]) =>
    Array.from({ length: Math.ceil(members.length / MANY) }, (_, part) =>
      write(`${name}-${part + 1}.test.mjs`, members.slice(part * MANY, (part + 1) * MANY)),
    ),
  );
  return [...entries, ...single];
}

function write(name, members) {
  const path = join(folder, name);
  writeFileSync(
    path,
    members.map((file) => `import ${JSON.stringify(relative(folder, join(root, file)))};\n`).join(""),
  );
  return relative(root, path);
}
