// What the last full run of the tests found, and on which tree. Kept under .cache/ so that the coverage gate, the
// requirements report and `npm run check` can use a run instead of repeating it.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Where the recorder writes the outcome of each test of a full run. */
export const testsFile = join(root, ".cache", "tests.json");
/** Where the processes of a full run leave their V8 coverage. */
export const coverageFolder = join(root, ".cache", "coverage");

const recordFile = join(root, ".cache", "test-run.json");
/** A run is only worth so long: what the machine does to it is not part of the fingerprint. */
const maximumAgeMs = 60 * 60_000;

/** Everything that a test can read: a change in any of it makes a run stale. */
const inputs = [
  ...["src", "codegen", "generated", "schema", "test", "examples", "bench", "docs", ".ci"],
  ...["package.json", "package-lock.json", "tsconfig.json", "biome.json", "README.md"],
];

/** All files below a folder, or the file itself, as sorted paths relative to the root; none if there is no such path. */
export function filesBelow(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .map((file) => file.replaceAll("\\", "/"))
    .sort();
}

/** One hash over the content of every input and the version of Node. */
export function fingerprint() {
  const hash = createHash("sha256").update(process.version);
  for (const file of inputs.flatMap(filesBelow)) {
    // A file may vanish between listing and reading while somebody works in the tree; then it counts as absent.
    try {
      const content = readFileSync(join(root, file));
      hash.update(`\0${file}\0${content.length}\0`).update(content);
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }
  return hash.digest("hex");
}

/** Notes that a full run on the tree with this fingerprint ended, and how. */
export function writeRecord(record) {
  writeFileSync(recordFile, `${JSON.stringify(record)}\n`);
}

/** Forgets the last run. */
export function dropRecord() {
  rmSync(recordFile, { force: true });
  rmSync(testsFile, { force: true });
  rmSync(coverageFolder, { recursive: true, force: true });
}

/** True when the last full run passed, is recent, and ran on the tree as it is now. */
export function passedOnThisTree() {
  if (!existsSync(recordFile) || !existsSync(testsFile)) return false;
  if (Date.now() - statSync(recordFile).mtimeMs > maximumAgeMs) return false;
  const record = JSON.parse(readFileSync(recordFile, "utf8"));
  return record.passed === true && record.fingerprint === fingerprint();
}
