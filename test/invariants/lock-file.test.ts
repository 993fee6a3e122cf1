import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../support/root.js";

/** The part of package-lock.json that matters here: path in node_modules to what is installed there. */
type Packages = Readonly<
  Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
>;

/** What a package needs, as both files say it. */
interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/**
 * Optional packages that the lock file promises and does not have. npm leaves them out when it changes a lock file
 * while a registry has no such version, and `npm ci` then refuses the whole file.
 */
function absentOptionals(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined &&
        packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );
}

test("the lock file was made for the package.json of this tree", () => {
  const { dependencies, devDependencies } = readJson("package.json") as Dependencies;
  const locked = (readJson("package-lock.json") as { packages: { "": Dependencies } }).packages[""];
  assert.deepEqual(
    { dependencies: locked.dependencies, devDependencies: locked.devDependencies },
    { dependencies, devDependencies },
  );
});

test("the lock file has the optional packages of every platform", () => {
  const { packages } = readJson("package-lock.json") as { packages: Packages };
  assert.deepEqual(absentOptionals(packages), []);
});

test("an optional package that is not in the lock file is seen", () => {
  const packages = {
    "node_modules/linter": {
      optionalDependencies: { "linter-linux": "1.2.3", "linter-darwin": "1.2.3", nested: "1" },
    },
    "node_modules/linter-linux": {},
    "node_modules/linter/node_modules/nested": {},
  };
  assert.deepEqual(absentOptionals(packages), ["linter-darwin"]);
});
