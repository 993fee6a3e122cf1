// Line coverage of the last full run against its floors. V8 says which characters of the compiled files ran (cover.mjs); each
// position of a file's source map is looked up there: a line is covered when anything on it ran in any process.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { decode } from "@jridgewell/sourcemap-codec";
import { compiledFolder, compiledPath } from "./compile.mjs";
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

const compiled = new Map();

/** Where in a compiled file what of its source begins: `[offset, line]`, lines counted from 0. Every process asks again. */
function positions(path) {
  if (!compiled.has(path)) {
    const text = readFileSync(path, "utf8");
    const [, map = ""] = /^\/\/# sourceMappingURL=data:application\/json;base64,(.*)$/m.exec(text) ?? [];
    const { mappings } = JSON.parse(Buffer.from(map, "base64").toString());
    const lengths = text.split("\n").map((line) => line.length + 1);
    let start = 0;
    const found = decode(mappings).flatMap((segments, index) => {
      // What a map says of the indentation belongs to the line before.
      const here = segments.flatMap(([column, , line]) =>
        line === undefined || /\s/.test(text[start + column] ?? "") ? [] : [[start + column, line]],
      );
      start += lengths[index];
      return here;
    });
    compiled.set(path, { found, length: text.length });
  }
  return compiled.get(path);
}

/** For each source file that some process loaded: its lines, and whether they ran. */
function loadedLines() {
  const files = new Map();
  for (const name of existsSync(coverageFolder) ? readdirSync(coverageFolder) : []) {
    for (const script of JSON.parse(readFileSync(join(coverageFolder, name), "utf8"))) {
      const path = fileURLToPath(script.url.split("?")[0]);
      const source = join(root, relative(compiledFolder, path).replace(/\.js$/, ".ts"));
      if (!existsSync(path) || !existsSync(source)) continue;
      const { found, length } = positions(path);
      const ran = painted(script, length);
      const lines = files.get(source) ?? new Map();
      for (const [offset, line] of found) lines.set(line, lines.get(line) === true || ran[offset] === 1);
      files.set(source, lines);
    }
  }
  return files;
}

/** The lines of a file that nothing loaded: none if it holds types only. */
function unloadedLines(file) {
  return new Map(positions(join(root, compiledPath(file))).found.map(([, line]) => [line, false]));
}

/** Line numbers of a file, counted from 1: those that hold code, and those of them that never ran. */
function measure(file, loaded) {
  const source = readFileSync(join(root, file), "utf8").split("\n");
  // Closing brackets alone say nothing, and imports and re-exports run whenever the file is loaded.
  const code = [...(loaded.get(join(root, file)) ?? unloadedLines(file))].filter(
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
