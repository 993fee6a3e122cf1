import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, test } from "vitest";
import { testServer, withoutPostgres } from "../support/postgres.js";
import { emptySqld, withoutSqld } from "../support/sqld.js";
import { behaviours } from "./behaviours.js";
import { hosts } from "./hosts.js";
import { type Hosted, started, startWorkerd } from "./processes.js";
import { bundle, folder, programOf } from "./programs.js";
import type { Outcome } from "./servers/run-tests.js";

const chosen = process.env.HOSTS?.split(",") ?? ["bun", "deno", "workerd"];
const arguments_: Readonly<Record<"bun" | "deno", readonly string[]>> = {
  bun: [],
  deno: ["run", "--allow-all"],
};

/** Its contract takes half a minute on an idle machine: most cases wait for the disk of the server. */
const storedOverHttp = { skip: withoutSqld, timeout: 400_000 };

/** Runs the tests of the client, or of a store, in a program. */
async function outcomeIn(
  runtime: "bun" | "deno",
  program: string,
  words: readonly string[],
): Promise<Outcome> {
  const tests = await bundle("tests-program", runtime, join(folder, runtime, "tests.mjs"));
  const child = spawn(program, [...arguments_[runtime], tests, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(code, 0, printed);
  return JSON.parse(printed);
}

function assertPassed({ passed, failed }: Outcome, least: number): void {
  assert.deepEqual(failed, []);
  assert.ok(passed >= least, `${passed} tests`);
}

let server: Hosted | undefined;
beforeAll(async () => {
  server = await hosts.serve?.({ VERSIONS: "1.0" });
});
afterAll(() => server?.close());

for (const runtime of ["bun", "deno"] as const) {
  const program = programOf(runtime);
  describe.skipIf(program === undefined || !chosen.includes(runtime))(runtime, () => {
    const outcome = (...words: string[]) => outcomeIn(runtime, program ?? assert.fail(), words);

    test("the client works there", async () => {
      assertPassed(await outcome("client", server?.url ?? assert.fail()), 10);
    });

    for (const store of ["memory", "sqlite"])
      test(`the store passes its contract there: ${store}`, async () => {
        assertPassed(await outcome(store), 50);
      });

    for (const framework of ["node", "express", "fastify", "hono", "koa"])
      test(`an application serves the agent there: ${framework}`, async (t) => {
        const file = join(folder, runtime, "frameworks.mjs");
        const bundled = await bundle("framework-server", runtime, file);
        const words = [...arguments_[runtime], bundled, framework];
        const { url, close } = await started(program ?? assert.fail(), words, { VERSIONS: "1.0" });
        t.onTestFinished(async () => void (await close()));
        for (const [about, check] of Object.entries(behaviours))
          if (/^(CARD-04: the card|STR-|EXEC-03|OP-CANCEL-01|a large answer)/.test(about))
            await check({ open: url, guarded: url });
      });

    test("the store passes its contract there: postgres", { skip: withoutPostgres }, async () => {
      const database = await (await testServer()).database(`contract_${runtime}`);
      assertPassed(await outcome("postgres", database), 50);
    });

    test("the store passes its contract there: libsql", storedOverHttp, async () => {
      assertPassed(await outcome("libsql", await emptySqld()), 50);
    });
  });
}

const workerd = programOf("workerd");
describe.skipIf(workerd === undefined || !chosen.includes("workerd"))("workerd", () => {
  let worker: Hosted;
  beforeAll(async () => {
    worker = await startWorkerd(workerd ?? assert.fail(), "tests-worker", {});
  });
  afterAll(() => worker?.close());
  const outcome = async (query: string) =>
    (await (await fetch(new URL(query, worker.url))).json()) as Outcome;

  test("the client works there", async () => {
    assertPassed(await outcome(`/?url=${server?.url}`), 10);
  });

  test("the store passes its contract there: memory", async () => {
    assertPassed(await outcome("/"), 50);
  });

  test("the store passes its contract there: libsql", storedOverHttp, async () => {
    const database = await emptySqld();
    const all: Outcome = { passed: 0, failed: [] };
    // Each test in a request of its own, as a request may set 10,000 timers only.
    for (let only = 0; ; only += 1) {
      const { passed, failed } = await outcome(`/?libsql=${database}&only=${only}`);
      if (passed + failed.length === 0) break;
      all.passed += passed;
      all.failed.push(...failed);
    }
    assertPassed(all, 50);
  });
});
