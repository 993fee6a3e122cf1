import { countPromises } from "../budget/count-promises.js";
import { walkRoads } from "./road.js";
import { measureTree } from "./tree.js";

// Prints the figures by which the shape of the sources is watched. They are signs, not aims, so no figure fails here: directions of
// imports, files at the root of `src/` and the budget of promises have tests of their own. With --files, it lists the files of the ways.

const tree = measureTree();
const promises = await countPromises();
const roads = await walkRoads();
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const rows: readonly (readonly [name: string, value: string | number, goal: string])[] = [
  ["files from the socket to the handler, JSON-RPC", roads.toHandler.length, "15"],
  ["files for a whole SendMessage, store in memory", roads.sendMessage.length, "40"],
  ["files from an executor's yield to the SSE frame", roads.toFrame.length, "18"],
  ["files in src", tree.files, "400"],
  ["lines of a file in src, median", tree.medianLines, "85 to 120"],
  ["files of src with one importer", percent(tree.oneImporter), "30 %"],
  ["files of src under 30 lines", percent(tree.small), "10 %"],
  ["lines of code in src", tree.codeLines, "29000"],
  ["files at the root of src", tree.rootFiles, "1"],
  ["names of the package root besides the protocol's types", tree.rootNames, "75"],
  ["lines of .ci and of configuration in code", tree.toolLines, "200"],
  ...Object.entries(promises).map(([name, made]) => [`promises: ${name}`, made, ""] as const),
];

const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, value, goal] of rows) {
  console.log(`${name.padEnd(width)}  ${String(value).padStart(8)}${goal && `  (goal ${goal})`}`);
}
if (process.argv.includes("--files")) console.log(JSON.stringify(roads, undefined, 2));
