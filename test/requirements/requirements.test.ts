import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { tree } from "../invariants/source-file.js";
import { program } from "../support/program.js";
import { citedBy, citingFiles, type RanTest, unknownCitations } from "./citations.js";
import { groupOf, listed, parseRegister, type Requirement, register, registerPage } from "./register.js";
import { print, report, uncovered } from "./report.js";

const known = new Set(["OP-SEND-04", "TASK-02", "TASK-03"]);

const rows: Requirement[] = [
  { id: "OP-SEND-04", level: "MUST", who: "server", section: "§1" },
  { id: "TASK-02", level: "MAY", who: "client", section: "§2" },
  { id: "TASK-03", level: "MUST", who: "both", section: "§3" },
];

function ran(name: string, status: RanTest["status"] = "pass"): RanTest {
  return { name, file: "test/a.test.ts", status };
}

test("the register has 656 rows with unique ids", () => {
  assert.equal(register.length, 656);
  assert.equal(new Set(register.map((row) => row.id)).size, 656);
});

test("the register has 383 MUST, 96 SHOULD, 39 MAY and 138 AMBIGUOUS rows", () => {
  const counts: Record<string, number> = {};
  for (const { level } of register) counts[level] = (counts[level] ?? 0) + 1;
  assert.deepEqual(counts, { MUST: 383, SHOULD: 96, MAY: 39, AMBIGUOUS: 138 });
});

test("the page states how many rows it has, and writes every row so that it can be read", () => {
  const page = readFileSync(registerPage, "utf8");
  assert.ok(page.includes("There are 656 rows: 383 MUST, 96 SHOULD, 39 MAY and 138 AMBIGUOUS"));
  const binding = (who: string): number => register.filter((row) => row.who === who).length;
  const bound = `${binding("server")} bind the server, ${binding("client")} the client and ${binding("both")} both`;
  assert.ok(page.includes(bound), bound);
  const looksLikeRow = /^\| *[A-Z-]+-\d+ *\|/gm;
  assert.equal(page.match(looksLikeRow)?.length, register.length);
});

test("a row is read with its level, whom it binds and its section; other tables are left alone", () => {
  const page = [
    "| ID | Level | Who | Statement | Section |",
    "|---|---|---|---|---|",
    "| OP-SEND-04 | MUST | server | A `a \\| b` is refused. | §1, proto Task |",
    "| Error | Code |",
    "| TASK | 04, 06 |",
  ].join("\n");
  assert.deepEqual(parseRegister(page), [
    { id: "OP-SEND-04", level: "MUST", who: "server", section: "§1, proto Task" },
  ]);
});

test("every id that a test, a conformance check or the store contract cites is a row of docs/requirements.md", () => {
  const files = citingFiles();
  assert.ok(files.length > 300);
  assert.deepEqual(unknownCitations(files, new Set(register.map((row) => row.id))), []);
});

test("a cited id without a row is found in names, in checks and in comments; other words with a number are not ids", () => {
  const files = tree({
    "test/a.test.ts": 'test("TASK-03: one");\ntest("OP-SEND-04, TASK-77: two");\ntest("STR-01: three");',
    "src/conformance/b.ts": 'check({ ids: ["OP-SEND-99"] });\n// TASK-02 and TASK-44',
    "test/c.test.ts": 'const a = "UTF-16 and RFC-72";',
  });
  assert.deepEqual(unknownCitations(files, known), [
    "test/a.test.ts:2: TASK-77",
    "test/a.test.ts:3: STR-01",
    "src/conformance/b.ts:1: OP-SEND-99",
    "src/conformance/b.ts:2: TASK-44",
  ]);
});

test("every row can be cited, and binds the server, the client or both", () => {
  const ids = new Set(register.map((row) => row.id));
  for (const { id, who } of register) {
    assert.deepEqual(citedBy(`${id}: does it`, ids), { ids: [id] });
    assert.ok(["server", "client", "both"].includes(who), id);
  }
});

test("every row left out is in the register and has a reason", () => {
  assert.deepEqual(report(register, listed, []).problems, []);
});

test("a name cites the ids at its beginning", () => {
  assert.deepEqual(citedBy("OP-SEND-04: a terminal task stays", known), { ids: ["OP-SEND-04"] });
  assert.deepEqual(citedBy("OP-SEND-04, TASK-02: both", known), { ids: ["OP-SEND-04", "TASK-02"] });
  assert.deepEqual(citedBy("decodes UTF-8 and SHA-256, RFC-72", known), { ids: [] });
});

test("a range, another separator and a missing colon are problems, not silence", () => {
  for (const name of [
    "TASK-02..03: x",
    "TASK-02 to TASK-03: x",
    "TASK-02/TASK-03: x",
    "TASK-02,TASK-03: x",
  ]) {
    assert.match(citedBy(name, known).problem ?? "", /not in the form/, name);
  }
  assert.match(citedBy("TASK-02 does it", known).problem ?? "", /not in the form/);
  assert.match(citedBy("TASK-02:", known).problem ?? "", /not in the form/);
});

test("an id that is not in the register is a problem, and nothing counts", () => {
  assert.deepEqual(citedBy("OP-SEND-04, TASK-99: x", known), {
    ids: [],
    problem: "not in the register: TASK-99",
  });
});

test("an id of the register later in the name is a problem", () => {
  assert.deepEqual(citedBy("OP-SEND-04: x (TASK-02)", known), {
    ids: ["OP-SEND-04"],
    problem: "cited after the beginning: TASK-02",
  });
  assert.deepEqual(citedBy("a task (TASK-03)", known).problem, "cited after the beginning: TASK-03");
});

test("a row is covered by passing tests only, else listed, else missing", () => {
  const { rows: found, problems } = report(rows, { "TASK-02": "needs a clock" }, [
    ran("OP-SEND-04: one"),
    ran("OP-SEND-04: two"),
    ran("TASK-03: fails", "fail"),
    ran("TASK-03: is skipped", "skip"),
  ]);
  assert.deepEqual(problems, []);
  assert.deepEqual(found, [
    {
      id: "OP-SEND-04",
      level: "MUST",
      who: "server",
      status: "covered",
      tests: ["test/a.test.ts > OP-SEND-04: one", "test/a.test.ts > OP-SEND-04: two"],
      reason: null,
    },
    { id: "TASK-02", level: "MAY", who: "client", status: "listed", tests: [], reason: "needs a clock" },
    { id: "TASK-03", level: "MUST", who: "both", status: "missing", tests: [], reason: null },
  ]);
});

test("wrong citations and wrong entries of the list are reported, also of failing tests", () => {
  const list = { "TASK-02": "needs a clock", "TASK-03": " ", "TASK-98": "gone" };
  assert.deepEqual(report(rows, list, [ran("TASK-99: x", "fail"), ran("TASK-02: y")]).problems, [
    "test/a.test.ts > TASK-99: x: not in the register: TASK-99",
    "listed.json: TASK-02 is covered by a test and need not be listed",
    "listed.json: TASK-03 has no reason",
    "listed.json: TASK-98 is not in the register",
  ]);
});

test("a row that is neither covered nor listed is a fault, unless its test was skipped", () => {
  const tests = [ran("TASK-02: is skipped", "skip"), ran("TASK-03: fails", "fail")];
  assert.deepEqual(uncovered(report(rows, {}, tests).rows, tests), [
    "OP-SEND-04: no passing test cites it, and listed.json does not say why",
    "TASK-03: no passing test cites it, and listed.json does not say why",
  ]);
  assert.deepEqual(uncovered(report(rows, { "OP-SEND-04": "needs a clock" }, tests).rows, []).length, 2);
});

test("npm run requirements fails for a row without a test, and for an id without a row", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "requirements-"));
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "ran.json");
  const outcome = (ids: readonly string[]) => {
    const assertionResults = ids.map((id) => ({ title: `${id}: holds`, status: "passed" }));
    writeFileSync(file, JSON.stringify({ testResults: [{ name: "a.test.ts", assertionResults }] }));
    const main = [...program("test/requirements/main.ts"), "--ran", file];
    const { status, stderr } = spawnSync(process.execPath, main, { encoding: "utf8" });
    return [status, stderr.trim()];
  };
  const needed = register.map(({ id }) => id).filter((id) => !(id in listed));
  assert.deepEqual(outcome(needed), [0, ""]);
  assert.deepEqual(outcome(needed.slice(1)), [
    1,
    `${needed[0]}: no passing test cites it, and listed.json does not say why`,
  ]);
  assert.deepEqual(outcome([...needed, "TASK-99"]), [
    1,
    "a.test.ts > TASK-99: holds: not in the register: TASK-99",
  ]);
});

test("the printed report counts by level and group and names the missing rows when asked", () => {
  const { rows: found } = report(rows, {}, [ran("OP-SEND-04: one")]);
  const lines = print(found, true).split("\n");
  assert.deepEqual(
    lines.map((line) => line.trim().replaceAll(/\s+/g, " ")),
    [
      "covered listed missing all",
      "MUST 1 0 1 2",
      "MAY 0 0 1 1",
      "",
      "OP-SEND 1 0 0 1",
      "TASK 0 0 2 2",
      "",
      "all 1 0 2 3",
      "",
      "TASK-02 MAY client",
      "TASK-03 MUST both",
      "",
    ],
  );
  assert.ok(!print(found, false).includes("TASK-03"));
});

test("the group of an id is all but its number", () => {
  assert.equal(groupOf("OP-SEND-04"), "OP-SEND");
  assert.equal(groupOf("RPC-01"), "RPC");
});
