import { writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { argv, kill, pid } from "node:process";

/*
 * Runs an import or the adoption of a version, and kills its own process before one of its changes to the disk, the nth: a text is half
 * written by then.
 */
const [, , command = "", root = "", version = "", file = "", after = ""] = argv;
let left = Number(after);
const disk: Record<string, any> = fs;
for (const name of ["mkdir", "rename", "rm", "rmdir", "writeFile"]) {
  const change = disk[name];
  disk[name] = (path: string, ...rest: unknown[]) => {
    if (left-- === 0) {
      const [text] = rest;
      if (name === "writeFile") writeFileSync(path, String(text).slice(0, String(text).length / 2));
      kill(pid, "SIGKILL");
    }
    return change(path, ...rest);
  };
}
syncBuiltinESMExports();
// Imported after the functions of the disk are others.
const { adoptVersion } = await import("../../../codegen/import/adopt-version.js");
const { importSchema } = await import("../../../codegen/import/import-schema.js");
const { exitCode } =
  command === "adopt" ? await adoptVersion(root, version) : await importSchema(root, { file, version });
process.exitCode = exitCode;
