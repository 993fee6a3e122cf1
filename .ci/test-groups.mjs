// Test files that share a process. Starting a process and loading the library costs more than most files of tests do, so a
// full run gives neighbours one process, until it has enough to do. Files that change what others in the process would notice
// run alone. Processes start in the order of their names: those with the most to do come first, so that none is left over at
// the end.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { compiledPath } from "./compile.mjs";
import { root } from "./run-record.mjs";

const folder = join(root, ".cache", "groups");

/** Hooks around each test of the process, what is set for all of it, replaced clocks, and looks at all that is open in it. */
const alone = /^(beforeEach|afterEach)\(|setGlobal|mock\.timers|getActiveResourcesInfo/m;

/**
 * What takes as long to get as a process: files that need the same share one. Of the patterns the first counts that fits the path
 * of a file or its text.
 */
const together = [
  // A PostgreSQL.
  { pattern: /\/support\/postgres\.js"/ },
  // The compiler. These read sources, and run none of which the coverage is asked.
  { pattern: /^test\/docs\/compile|\/source-file\.js"/, isMeasured: false },
  // The compiler and a server, for the blocks of the docs.
  { pattern: /\/code-blocks\.js"/ },
  // The printer of TypeScript and all that the emitters are made of.
  { pattern: /^test\/codegen\/[^/]*$/ },
];

/** About how many seconds files take that take long, loading left out. Only packing and order depend on it. */
const seconds = {
  "test/interop/many-nodes.test.ts": 15,
  "test/stores/postgres/contract.test.ts": 11,
  "test/stores/postgres/nodes.test.ts": 8,
  "test/simulation/simulation.test.ts": 8,
  "test/docs/compile.test.ts": 7,
  "test/conformance/probe.test.ts": 6,
  "test/conformance/spoiled.test.ts": 6,
  "test/operations/hostile.test.ts": 6,
  "test/client/sdk-agent.test.ts": 5,
  "test/client/stream/cuts.test.ts": 5,
  "test/codegen/evolution.test.ts": 5,
  "test/codegen/run.test.ts": 5,
  "test/stores/sqlite/crash.test.ts": 5,
  "test/auth/isolation.test.ts": 4,
  "test/ci/test-runner.test.ts": 4,
  "test/budget/start-up.test.ts": 3,
  "test/ci/coverage.test.ts": 3,
  "test/cli/auth.test.ts": 3,
  "test/cli/codegen.test.ts": 3,
  "test/cli/send.test.ts": 3,
  "test/conformance/sdk.test.ts": 3,
  "test/engine/list-tasks.test.ts": 3,
  "test/invariants/shape.test.ts": 3,
  "test/stores/memory-list.test.ts": 3,
};
/** What other files take. */
const OTHERS = 0.4;
/** With so many seconds a process has enough to do. */
const ENOUGH = 14;

/**
 * Writes a file per group that loads its test files in turn.
 * @param files paths of test files, relative to the root
 * @returns paths of what to run, relative to the root
 */
export function grouped(files) {
  const groups = [];
  let open;
  for (const file of files) {
    const weight = seconds[file] ?? OTHERS;
    const text = readFileSync(join(root, file), "utf8");
    const need = together.find(({ pattern }) => pattern.test(file) || pattern.test(text));
    const isAlone = need === undefined && alone.test(text);
    let group = need === undefined ? open : groups.find((one) => one.need === need);
    if (group === undefined || isAlone || (need === undefined && open.weight + weight > ENOUGH)) {
      group = { need, weight: 0, members: [] };
      groups.push(group);
      if (need === undefined && !isAlone) open = group;
    }
    group.weight += weight;
    group.members.push(file);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return groups.sort((one, other) => other.weight - one.weight).map(write);
}

/** No test begins before all files are loaded: on a busy machine that takes as long as servers wait for a request. */
function write({ members, need }, rank) {
  const [, name = ""] = /^test\/(.*?)(\/[^/]*)?\.test\.ts$/.exec(members[0]) ?? [];
  const path = join(folder, `${String(rank).padStart(2, "0")}-${name.replaceAll("/", "-")}.test.mjs`);
  const files = members.map((file) => relative(folder, join(root, compiledPath(file))).replaceAll("\\", "/"));
  const lines = [
    ...(need?.isMeasured === false ? [] : ['import "../../.ci/cover.mjs";']),
    'import { before } from "node:test";',
    "let loaded;",
    "before(() => new Promise((resolve) => { loaded = resolve; }));",
    ...files.map((file) => `await import(${JSON.stringify(file)});`),
    "loaded();",
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  return relative(root, path);
}
