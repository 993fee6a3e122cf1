// Line coverage of the last full run against its floors. Sources run through tsx, which prints a whole file on one
// line; tools that map ranges of that line back lose the last line of most blocks. So each position of the source
// map is looked up in V8's ranges instead: a line is covered when anything on it ran in any process.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode } from "@jridgewell/sourcemap-codec";
import ts from "typescript";
import { coverageFolder, filesBelow, root } from "./run-record.mjs";

/** The lowest share of covered lines, in percent, of all files below a folder together. */
const floors = [
  { folder: "src", percent: 95 },
  { folder: "codegen", percent: 95 },
  { folder: "src/wire", percent: 100 },
  { folder: "src/bindings", percent: 100 },
];

/**
 * Which characters of a script ran. V8 lists ranges that nest: each function, and in it the blocks that ran another
 * number of times. Painted from the widest to the narrowest the innermost one decides.
 */
function painted(script, length) {
  const ran = new Uint8Array(length);
  const ranges = script.functions.flatMap((part) => part.ranges);
  ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
}

const decoded = new Map();

/** The positions of a source map; every process reports the same few maps again. */
function positions(mappings) {
  if (!decoded.has(mappings)) decoded.set(mappings, decode(mappings));
  return decoded.get(mappings);
}

/** Marks in `lines` (line number -> ran) what one process ran of one script. */
function addScript(lines, script, { data, lineLengths }) {
  const starts = lineLengths.map((_, index) =>
    lineLengths.slice(0, index).reduce((sum, one) => sum + one + 1, 0),
  );
  const ran = painted(script, (starts.at(-1) ?? 0) + (lineLengths.at(-1) ?? 0));
  for (const [index, segments] of positions(data.mappings).entries()) {
    for (const [column, source, line] of segments) {
      if (source === 0) lines.set(line, lines.get(line) === true || ran[starts[index] + column] === 1);
    }
  }
}

/** For each source file that some process loaded: its lines, and whether they ran. */
function loadedLines() {
  const files = new Map();
  for (const name of existsSync(coverageFolder) ? readdirSync(coverageFolder) : []) {
    const report = JSON.parse(readFileSync(join(coverageFolder, name), "utf8"));
    const maps = report["source-map-cache"] ?? {};
    for (const script of report.result) {
      const map = maps[script.url];
      if (!script.url.startsWith("file:") || !map?.data?.mappings) continue;
      const path = fileURLToPath(script.url.split("?")[0]);
      if (!path.startsWith(join(root, "")) || path.includes("node_modules")) continue;
      const lines = files.get(path) ?? new Map();
      addScript(lines, script, map);
      files.set(path, lines);
    }
  }
  return files;
}

/** The lines of a file that nothing loaded: none if it holds types only. */
function unloadedLines(text) {
  const { sourceMapText } = ts.transpileModule(text, {
    compilerOptions: { target: "ES2022", module: "ESNext", sourceMap: true, removeComments: true },
  });
  const segments = decode(JSON.parse(sourceMapText).mappings).flat();
  return new Map(segments.filter((segment) => segment.length > 1).map((segment) => [segment[2], false]));
}

/** Line numbers of a file, counted from 1: those that hold code, and those of them that never ran. */
function measure(file, loaded) {
  const text = readFileSync(join(root, file), "utf8");
  const source = text.split("\n");
  // Closing brackets alone say nothing, and imports and re-exports run whenever the file is loaded.
  const code = [...(loaded.get(join(root, file)) ?? unloadedLines(text))].filter(
    ([line]) => !/^[\s})\];,]*$/.test(source[line] ?? "") && !/^(import|export) .* from /.test(source[line]),
  );
  return { file, total: code.length, missed: code.filter(([, ran]) => !ran).map(([line]) => line + 1) };
}

/** `[1, 2, 3, 7]` as `1-3, 7`. */
function spans(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const starts = sorted.filter((line, index) => sorted[index - 1] !== line - 1);
  const ends = sorted.filter((line, index) => sorted[index + 1] !== line + 1);
  return starts.map((start, index) => (start === ends[index] ? start : `${start}-${ends[index]}`)).join(", ");
}

const loaded = loadedLines();
for (const { folder, percent } of floors) {
  const files = filesBelow(folder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => measure(file, loaded));
  const total = files.reduce((sum, file) => sum + file.total, 0);
  const missed = files.reduce((sum, file) => sum + file.missed.length, 0);
  const reached = total === 0 ? 100 : (100 * (total - missed)) / total;
  const enough = reached >= percent;
  process.stdout.write(
    `${enough ? "ok  " : "LOW "}${folder}: ${reached.toFixed(2)} % of ${total} lines (floor ${percent} %)\n`,
  );
  if (enough && !process.argv.includes("--missed")) continue;
  if (!enough) process.exitCode = 1;
  for (const file of files.filter((one) => one.missed.length > 0)) {
    process.stdout.write(`      ${file.file}: ${spans(file.missed)}\n`);
  }
}
