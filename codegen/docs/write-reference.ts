import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadVersions } from "../load.js";
import { normalize } from "../normalize.js";
import { SchemaError } from "../problems.js";
import type { RunResult } from "../run.js";
import { newestOf } from "../version-order.js";
import { pages } from "./pages.js";

const folder = "docs/reference";

/** Writes `<root>/docs/reference` from the newest schema, or only compares them if `check` is set. */
export async function writeReference(
  root: string,
  { check }: { readonly check: boolean },
): Promise<RunResult> {
  try {
    const texts = await newestPages(root);
    const directory = join(root, folder);
    await mkdir(directory, { recursive: true });
    const present = await readdir(directory);
    const extra = present.filter((file) => !texts.has(file));
    const stale: string[] = [];
    for (const [file, text] of texts) {
      const isFresh = present.includes(file) && (await readFile(join(directory, file), "utf8")) === text;
      if (!isFresh) stale.push(file);
    }
    if (check) return judge([...stale, ...extra], texts.size);
    for (const file of stale) await writeFile(join(directory, file), texts.get(file) ?? "");
    for (const file of extra) await rm(join(directory, file));
    const lines = [
      ...stale.map((file) => `wrote ${folder}/${file}`),
      ...extra.map((file) => `removed ${folder}/${file}`),
    ];
    return { lines: lines.length > 0 ? lines : [`nothing to do (${texts.size} pages)`], exitCode: 0 };
  } catch (error) {
    if (error instanceof SchemaError) return { lines: error.message.split("\n"), exitCode: 1 };
    throw error;
  }
}

async function newestPages(root: string): Promise<ReadonlyMap<string, string>> {
  const versions = await loadVersions(root);
  const newest = newestOf(versions.map(({ folder }) => folder.slice(1)));
  const [spec] = normalize(versions.filter(({ folder }) => folder === `v${newest}`));
  return spec === undefined ? new Map() : pages(spec);
}

function judge(differing: readonly string[], count: number): RunResult {
  if (differing.length === 0) return { lines: [`${folder} is up to date (${count} pages)`], exitCode: 0 };
  const lines = differing.toSorted().map((file) => `stale or extra: ${folder}/${file}`);
  return { lines: [...lines, "run npm run docs and commit the result"], exitCode: 1 };
}
