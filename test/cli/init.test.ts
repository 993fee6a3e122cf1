import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { packageVersion } from "../../src/runtime/package-version.js";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";
import { Terminal } from "./terminal.js";

const languages = ["ts", "js"] as const;
const kinds = ["memory", "sqlite", "postgres"] as const;

/** Paths of the files of a folder, at any depth. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();
}

test("init makes a project that depends on this version, in TypeScript with a test unless told otherwise", async (t) => {
  const shell = new Terminal(t);
  const { out, err, exit } = await shell.parley("init", "My Agent");
  assert.equal(exit, 0);
  assert.match(out, /^Created: My Agent\/package\.json$/m);
  assert.equal(err, "hint: cd 'My Agent' && npm start\n");
  const folder = join(shell.folder, "My Agent");
  assert.deepEqual(filesIn(folder), [
    ...[".gitignore", "README.md", "package.json", "src/agent.ts", "src/main.ts"],
    ...["test/agent.test.ts", "tsconfig.build.json", "tsconfig.json"],
  ]);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.deepEqual(
    [manifest.name, manifest.dependencies],
    ["my-agent", { "a2a-parley": `^${packageVersion()}` }],
  );
});

test("init keeps files that exist and names them; --force overwrites them and says so", async (t) => {
  const shell = new Terminal(t);
  const folder = join(shell.folder, "agent");
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src", "agent.js"), "// mine");
  writeFileSync(join(folder, "notes.txt"), "mine");
  const refused = await shell.parley("init", "agent", "--language", "js", "-o", "json");
  assert.deepEqual([refused.exit, refused.json.error.code], [1, "PARLEY_ERR_FILE"]);
  assert.match(refused.json.error.message, /^agent already has src\/agent\.js$/);
  assert.deepEqual(filesIn(folder), ["notes.txt", "src/agent.js"]);
  assert.equal(readFileSync(join(folder, "src/agent.js"), "utf8"), "// mine");
  const forced = await shell.parley("init", "agent", "--language", "js", "--force");
  assert.match(forced.out, /^Overwritten: agent\/src\/agent\.js$/m);
  assert.match(forced.out, /^Created: agent\/src\/main\.js$/m);
  assert.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "mine");
});

test("what init writes type-checks with every choice, and depends on what it imports", async (t) => {
  const shell = new Terminal(t);
  // Inside the repository, so that the package's own name leads to its sources and Node's types are found.
  mkdirSync(join(root, ".cache"), { recursive: true });
  const place = mkdtempSync(join(root, ".cache", "init-"));
  t.onTestFinished(() => rmSync(place, { recursive: true }));
  const files: string[] = [];
  for (const language of languages)
    for (const store of kinds)
      for (const more of ["", "no-"]) {
        const folder = join(place, `${language}-${store}-${more}`);
        const flags = [`--${more}test`, more === "" ? "--docker" : "--no-docker"];
        const made = await shell.parley(
          ...["init", folder, "--language", language, "--store", store, ...flags, "-o", "json"],
        );
        assert.equal(made.exit, 0, made.err);
        const own: string[] = made.json.files;
        const has = (name: string) => own.includes(name);
        assert.deepEqual([has("tsconfig.json"), has("Dockerfile")], [language === "ts", more === ""]);
        assert.equal(has(`test/agent.test.${language}`), more === "");
        const { scripts, dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        assert.equal("test" in scripts, more === "");
        const peer = { memory: undefined, sqlite: "libsql", postgres: "pg" }[store];
        assert.deepEqual(Object.keys(dependencies), ["a2a-parley", ...(peer ? [peer] : [])]);
        files.push(
          ...own.filter((name) => /^(src|test)\/.*\.(ts|js)$/.test(name)).map((name) => join(folder, name)),
        );
      }
  const config = JSON.parse(readFileSync(join(place, "ts-memory-", "tsconfig.json"), "utf8"));
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...config.compilerOptions,
      ...{ allowJs: true, checkJs: true, types: ["node"], baseUrl: root },
      paths: {
        "a2a-parley": ["src/index.ts"],
        "a2a-parley/*": ["src/*/index.ts"],
      },
    },
    root,
  );
  const program = ts.createProgram(files, options);
  const own = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.includes("/.cache/init-"));
  assert.deepEqual(
    own.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    ),
    [],
  );
  assert.equal(files.length, 2 * 3 * (3 + 2));
});

test("the Dockerfile makes a small image without privileges, which reports its health and stops gracefully", async (t) => {
  const shell = new Terminal(t);
  await shell.parley("init", "agent", "--docker", "--store", "sqlite");
  const dockerfile = readFileSync(join(shell.folder, "agent", "Dockerfile"), "utf8");
  const [build = "", image = ""] = dockerfile.split(/^(?=FROM )/m);
  assert.match(build, /^FROM node:\d+-slim AS build$/m);
  assert.match(build, /npm run build && npm prune --omit=dev/);
  assert.match(image, /^USER node$/m);
  assert.match(image, /^HEALTHCHECK .*\/readyz/m);
  assert.match(image, /^STOPSIGNAL SIGTERM\nCMD \["node", "dist\/main\.js"\]$/m);
  assert.match(image, /^ENV TASKS=\/data\/tasks\.db\nRUN mkdir \/data && chown node \/data\nVOLUME \/data$/m);
  assert.ok(filesIn(join(shell.folder, "agent")).includes(".dockerignore"));
});

test("at a terminal init asks for what the flags do not say, and an empty answer takes the default", async (t) => {
  const shell = new Terminal(t);
  const keys = shell.sitDown();
  const made = shell.parley("init", "--store", "sqlite");
  let at = 0;
  const answer = async (question: string, typed: string) => {
    at = await shell.shows(question, at);
    keys.write(`${typed}\r`);
  };
  await answer("Folder (my-agent): ", "counter");
  await answer("Language [ts/js] (ts): ", "cobol");
  await answer('ts or js, not "cobol"', "");
  await answer("A test [yes/no] (yes): ", "n");
  await answer("A Dockerfile [yes/no] (no): ", "y");
  const { exit, out } = await made;
  assert.equal(exit, 0);
  assert.ok(!shell.screen.includes("Store ["), "a flag answers its question");
  assert.match(out, /^Created: counter\/Dockerfile$/m);
  assert.doesNotMatch(out, /agent\.test/);
  assert.match(readFileSync(join(shell.folder, "counter/src/main.ts"), "utf8"), /new SqliteStore/);
});

test("init asks nothing with --yes or without a terminal, and creates nothing when a person leaves", async (t) => {
  const shell = new Terminal(t);
  assert.equal((await shell.parley("init")).exit, 2);
  assert.equal((await shell.parley("init", "x", "--test", "--no-test")).exit, 2);
  assert.equal((await shell.parley("init", "x", "--store", "mysql")).exit, 2);
  const keys = shell.sitDown();
  const quiet = await shell.parley("init", "made", "--yes");
  assert.equal(quiet.exit, 0);
  const left = shell.parley("init", "left");
  await shell.shows("Language");
  keys.write("\u0003");
  const { exit, err } = await left;
  assert.equal(exit, 130);
  assert.match(err, /Nothing was created \(PARLEY_ERR_INTERRUPTED\)/);
  assert.deepEqual(readdirSync(shell.folder), ["made"]);
});
