import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { test } from "vitest";
import { root } from "../../support/root.js";

test("the published declarations of the stores on databases name their methods, and not how they use a database", () => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.build.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const source = readFileSync(join(root, "src/stores/sql/remote-store.ts"), "utf8");
  const { outputText } = ts.transpileDeclaration(source, { compilerOptions: options });
  assert.match(outputText, /declare abstract class RemoteStore implements .*\bTaskStore\b/);
  assert.match(outputText, /\bsweep\(\): Promise<void>/);
  assert.doesNotMatch(outputText, /backend:|protected/);
});
