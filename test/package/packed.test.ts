import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, test } from "vitest";
import { pins } from "../invariants/pins.js";
import { installPacked, manifest, requireEverything, run, specifier, subpaths, tsc } from "./pack.js";

/** A program that imports every pinned name, types as types. */
function consumer(): string {
  const lines = subpaths.flatMap((subpath, index) => {
    const pinned = (pins[subpath] ?? []).filter((name) => name !== "type *");
    const values = pinned.filter((name) => !name.startsWith("type "));
    const imports = pinned.map((name) => `${name} as ${name.replace("type ", "")}${index}`);
    return [
      `import { ${imports.join(", ")} } from "${specifier(subpath)}";`,
      `export const values${index} = [${values.map((name) => `${name}${index}`).join(", ")}];`,
    ];
  });
  return `${[...lines, ...versions.map(versionConsumer)].join("\n")}\n`;
}

/** The subpaths with what was generated for a version. */
const versions = Object.keys(manifest.exports).filter((subpath) => /^\.\/v\d/.test(subpath));

/** A program that uses each kind of export of a version. */
function versionConsumer(subpath: string, index: number): string {
  return `import { assertTask as assertTaskOf${index}, errors as errorsOf${index}, isMessage as isMessageOf${index}, operations as operationsOf${index} } from "${specifier(subpath)}";
import type { Message as MessageOf${index}, paths as pathsOf${index} } from "${specifier(subpath)}";
export function partsOfOf${index}(value: unknown): MessageOf${index}["parts"] | undefined {
  return isMessageOf${index}(value) ? value.parts : undefined;
}
export function idOfOf${index}(value: unknown): string {
  assertTaskOf${index}(value);
  return value.id;
}
export const factsOf${index} = [errorsOf${index}.TASK_NOT_FOUND.jsonRpcCode, operationsOf${index}[0]?.method] as const;
export type PathsOf${index} = keyof pathsOf${index};`;
}

describe("the packed package", () => {
  let folder = "";
  let archive = "";
  let packed: string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "packed-"));
    ({ archive, packed } = installPacked(folder));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("holds the built code, the schema and what a reader needs, and nothing else", () => {
    const elsewhere = packed.filter(
      (path) => !/^(dist\/(src|generated|inspector)|schema|docs|examples)\//.test(path),
    );
    assert.deepEqual(elsewhere.sort(), [
      ...["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "package.json"],
    ]);
    const sources = packed.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
    assert.deepEqual(
      sources.filter((path) => !path.startsWith("examples/")),
      [],
    );
  });

  test("every relative link and picture of its pages leads to a file or folder in it", () => {
    const pages = packed.filter((path) => path.endsWith(".md"));
    assert.ok(pages.includes("README.md") && pages.includes("docs/agents.md"));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(folder, "node_modules", manifest.name, page), "utf8");
      // Code may contain what looks like a link.
      const prose = text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
      const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
      return targets
        .filter((target) => !/^([a-z]+:|#)/.test(target))
        .filter((target) => {
          const [path = ""] = posix.join(posix.dirname(page), target).split("#");
          return !packed.some((file) => file === path || file.startsWith(path.replace(/\/?$/, "/")));
        })
        .map((target) => `${page}: ${target}`);
    });
    assert.deepEqual(broken, []);
  });

  for (const subpath of subpaths) {
    test(`"${subpath}" is imported by plain Node and exports the pinned values`, () => {
      const script = `process.stdout.write(JSON.stringify(Object.keys(await import("${specifier(subpath)}"))))`;
      const names = JSON.parse(
        run(folder, process.execPath, "--input-type=module", "--eval", script),
      ) as string[];
      const values = (pins[subpath] ?? []).filter((name) => !name.startsWith("type "));
      assert.deepEqual(names.sort(), [...values].sort());
    });
  }

  test("every entry point is loaded by require", () => requireEverything(folder, process.execPath));

  for (const [what, code, name] of [
    [
      "a store of SQLite",
      'new (await import("SUB/stores/sqlite")).SqliteStore({ file: ":memory:" })',
      "libsql",
    ],
    [
      "a store of PostgreSQL",
      'await (await import("SUB/stores/postgres")).PostgresStore.open({ url: "postgres://h" })',
      "pg",
    ],
    ["the adapter for OpenTelemetry", 'await import("SUB/opentelemetry")', "@opentelemetry/api"],
    [
      "metrics for Prometheus",
      'await (await import("SUB/prometheus")).openPrometheus()',
      "@opentelemetry/sdk-metrics",
    ],
  ] as const) {
    test(`${what} whose package is missing says which to install`, () => {
      const [installed, away] = [join(folder, "node_modules", name), join(folder, "away")];
      if (existsSync(installed)) renameSync(installed, away);
      try {
        const script = code.replace("SUB", manifest.name);
        const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
          cwd: folder,
          encoding: "utf8",
        });
        assert.match(stderr, new RegExp(`needs the package ${name}: npm install ${name}$`, "m"));
      } finally {
        if (existsSync(away)) renameSync(away, installed);
      }
    });
  }

  test("the declarations compile in a strict program that checks its libraries", () => {
    writeFileSync(join(folder, "consumer.ts"), consumer());
    const compilerOptions = {
      ...{ target: "ES2022", lib: ["ES2023"], module: "NodeNext", noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, verbatimModuleSyntax: true },
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["consumer.ts"] }),
    );
    run(folder, process.execPath, tsc, "-p", folder);
  });

  test("the schemas, the OpenAPI documents and what was generated of them are imported by plain Node", () => {
    const script = `
      import { readFileSync } from "node:fs";
      const read = (path) => JSON.parse(readFileSync(new URL(import.meta.resolve("${manifest.name}/schema/" + path))));
      const said = [];
      for (const version of ["v1.1-draft", "v1.0", "v0.3", "v0.1"]) {
        const { assertMessage, errors, isTask } = await import("${manifest.name}/" + version);
        said.push([read(version + "/a2a.schema.json")["x-protocol-version"], read(version + "/openapi.json").openapi]);
        let fault;
        try { assertMessage({}); } catch (error) { fault = error.name; }
        said.push([isTask({}), fault, errors.TASK_NOT_FOUND.jsonRpcCode]);
      }
      process.stdout.write(JSON.stringify(said));`;
    const said = run(folder, process.execPath, "--input-type=module", "--eval", script);
    const same = [false, "TypeError", -32001];
    assert.deepEqual(
      JSON.parse(said),
      ["1.1-draft", "1.0", "0.3", "0.1"].flatMap((version) => [[version, "3.1.0"], same]),
    );
  });

  test("the inspector finds its page: by itself, on the server of an agent, and from the command line", async (t) => {
    const script = `
      import { defineAgent, reply } from "${manifest.name}";
      import { inspect } from "${manifest.name}/inspector";
      import { serve } from "${manifest.name}/server";
      const card = { name: "Echo", description: "Echoes", version: "1.0.0", skills: [] };
      const agent = defineAgent({ card, async execute({ text }) { return reply(text); } });
      const [server, inspector] = [await serve(agent, { inspector: true }), await inspect()];
      const asked = [server.url + "/inspector/", inspector.url.split("#")[0], server.url + "/healthz"];
      const types = await Promise.all(asked.map(async (url) => (await fetch(url)).headers.get("content-type")));
      await Promise.all([server.close(0), inspector.close()]);
      process.stdout.write(types.join(" "));`;
    const html = "text/html; charset=utf-8";
    const said = run(folder, process.execPath, "--input-type=module", "--eval", script);
    assert.equal(said, `${html} ${html} application/json`);
    const bin = join(folder, "node_modules/.bin/parley");
    const child = spawn(bin, ["inspect", "--no-open", "-o", "json"], { cwd: folder });
    t.onTestFinished(() => void child.kill());
    let out = "";
    for await (const chunk of child.stdout) {
      out += chunk;
      if (out.endsWith("}\n")) break;
    }
    const [url = ""] = JSON.parse(out).url.split("#");
    assert.match(await (await fetch(url)).text(), /<!doctype html>/i);
  });

  test("a server finds its OpenAPI document and the codecs of older versions", () => {
    const script = `
      import { defineAgent, reply } from "${manifest.name}";
      import { serve } from "${manifest.name}/server";
      import { connect } from "${manifest.name}/client";
      const card = { name: "Echo", description: "Echoes", version: "1.0.0", skills: [] };
      const agent = defineAgent({ card, async execute({ text }) { return reply(text); } });
      const said = [];
      for (const version of ["1.0", "0.3", "0.1"]) {
        const server = await serve(agent, { port: 0, versions: [version] });
        const client = await connect(server.url);
        const { message, task } = await client.sendText(version);
        // The first draft knows no answers but tasks.
        said.push((message ?? task.status.message).parts[0].text);
        if (version === "1.0") said.push((await (await fetch(server.url + "/openapi.json")).json()).openapi);
        await server.close();
      }
      process.stdout.write(JSON.stringify(said));`;
    const said = run(folder, process.execPath, "--input-type=module", "--eval", script);
    assert.deepEqual(JSON.parse(said), ["1.0", "3.1.0", "0.3", "0.1"]);
  });

  test("npx a2a-parley init makes a project that installs, type-checks, is tested, serves and conforms", async (t) => {
    run(folder, "npx", "--no", "a2a-parley", "init", "my-agent");
    const project = join(folder, "my-agent");
    // The version is on no registry yet.
    const made = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    made.dependencies["a2a-parley"] = `file:${archive}`;
    writeFileSync(join(project, "package.json"), JSON.stringify(made));
    run(project, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
    run(project, "npm", "run", "check");
    assert.match(run(project, "npm", "test"), /^# pass 1$/m);
    run(project, "npm", "run", "build");
    assert.ok(existsSync(join(project, "dist", "main.js")));
    const agent = spawn("npm", ["start"], {
      cwd: project,
      env: { ...process.env, PORT: "0", npm_config_update_notifier: "false" },
      stdio: ["ignore", "pipe", "inherit"],
      // npm, its shell and the agent end together.
      detached: true,
    });
    t.onTestFinished(() => {
      if (agent.pid !== undefined) process.kill(-agent.pid);
    });
    let url: string | undefined;
    for await (const line of createInterface({ input: agent.stdout })) {
      url = /^Listening: (.*)$/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    assert.ok(url, "the agent says where it listens");
    const parley = join(folder, "node_modules", ".bin", "parley");
    const answer = run(folder, parley, "send", "-a", url, "one two three");
    assert.match(answer, /^State: TASK_STATE_COMPLETED$[\s\S]*^3 words$/m);
    assert.match(run(folder, parley, "card", "validate", url), /^Card: valid$/m);
    assert.match(run(folder, parley, "conformance", url), /^MUST: \d+ met, 0 violated/m);
    // It installs packages, which takes a while beside other tests.
  }, 300_000);

  test("parley codegen checks schemas, and says what it needs to make types of them", () => {
    const schema = join(folder, "schemas", "skills", "quote", "input.json");
    mkdirSync(dirname(schema), { recursive: true });
    writeFileSync(schema, '{ "type": "number" }');
    const parley = join(folder, "node_modules", ".bin", "parley");
    const { status, stderr } = spawnSync(parley, ["codegen", "schemas"], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /npm install --save-dev json-schema-to-typescript/);
  });

  test("an import past the public entry points is refused", () => {
    const script = `await import("${manifest.name}/dist/src/index.js")`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });
});
