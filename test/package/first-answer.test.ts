import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "vitest";
import { root } from "../support/root.js";
import { manifest, pack, quiet, run, tsc } from "./pack.js";

/** The first program of the README, which tells where it listens on a free port. */
const [, tenLines = ""] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
const agent = `${tenLines.replace("port: 4000", "port: 0")}console.log(url);\n`;

/** Both official clients call the agent of the first argument, and print the text of the first artifact that each of them got. */
const clients = `import { ClientFactory } from "@a2a-js/sdk/client";
import { ClientFactory as OlderFactory } from "a2a-js-sdk-0.3/client";

const url = String(process.argv[2]);
const message = { messageId: "1", role: 1, parts: [{ content: { $case: "text", value: "hello" }, mediaType: "", filename: "" }],
  contextId: "", taskId: "", extensions: [], referenceTaskIds: [] };
const request = { message, tenant: "" };
const client = await new ClientFactory().createFromUrl(url);
const task = await client.sendMessage(request AS_ANY) AS_ANY;
console.log("1.0: " + task.artifacts[0].parts[0].content.value);

const older = await new OlderFactory().createFromUrl(url);
const olderTask = await older.sendMessage({
  message: { kind: "message", messageId: "2", role: "user", parts: [{ kind: "text", text: "hello" }] },
}) AS_ANY;
console.log("0.3: " + olderTask.artifacts[0].parts[0].text);
`;

const strict = { target: "ES2022", strict: true, skipLibCheck: true, types: [] as string[] };

/** How a newcomer writes a program: its language, what checks it, and what Node runs. */
const ways = {
  "TypeScript with NodeNext": {
    extension: "ts",
    compilerOptions: { ...strict, module: "NodeNext", outDir: "out" },
    out: "out",
  },
  "TypeScript with the resolution of bundlers, bundled": {
    extension: "ts",
    compilerOptions: { ...strict, module: "ESNext", moduleResolution: "bundler", noEmit: true },
    out: "bundle",
  },
  "plain JavaScript": { extension: "js", compilerOptions: undefined, out: "." },
} as const;

/** Starts the agent; its URL. */
async function start(t: TestContext, folder: string, program: string): Promise<string> {
  const child = spawn(process.execPath, [program], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  t.onTestFinished(() => void child.kill());
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("http")) return line;
  throw new Error("the agent did not say where it listens");
}

for (const [way, { extension, compilerOptions, out }] of Object.entries(ways)) {
  test(`from an empty folder to the first answer of both official clients: ${way}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "first-"));
    t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { archive } = pack(folder);
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("package.json", JSON.stringify({ name: "first", private: true, type: "module" }));
    const sdks = ["@a2a-js/sdk", "a2a-js-sdk-0.3"].map((name) => `${name}@${manifest.devDependencies[name]}`);
    run(folder, "npm", "install", ...quiet, archive, ...sdks);

    write(`agent.${extension}`, agent);
    const declared = extension === "ts" ? "declare const process: { argv: string[] };\n" : "";
    write(
      `clients.${extension}`,
      declared + clients.replaceAll(" AS_ANY", extension === "ts" ? " as any" : ""),
    );
    if (compilerOptions) {
      write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["agent.ts", "clients.ts"] }));
      run(folder, process.execPath, tsc, "-p", folder);
    }
    if (out === "bundle") {
      const bundler = join(root, "node_modules/esbuild/bin/esbuild");
      const options = [
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--packages=external",
        "--outdir=bundle",
      ];
      run(folder, bundler, "agent.ts", "clients.ts", ...options);
    }
    const url = await start(t, folder, join(folder, out, "agent.js"));
    const said = run(folder, process.execPath, join(folder, out, "clients.js"), url);
    assert.equal(said, "1.0: HELLO\n0.3: HELLO\n");
  });
}
