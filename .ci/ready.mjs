// Makes a fresh clone ready to run: installs the locked packages when they are missing or differ from the lock
// file. Uses nothing but Node, prints nothing when all is well, and lets only one of several runs install.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lock = join(root, ".cache", "install.lock");
const staleAfterMs = 10 * 60_000;

/** The packages section of a lock file, or nothing when there is no such file. */
function packages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : undefined;
}

/**
 * True when every package of the lock file is installed in its locked version. npm records what it installed in
 * node_modules/.package-lock.json; packages for other platforms are optional and may be absent.
 */
function installed() {
  const wanted = packages(join(root, "package-lock.json")) ?? {};
  const found = packages(join(root, "node_modules", ".package-lock.json"));
  if (found === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const there = found[path];
    if (there === undefined) return entry.optional === true || entry.devOptional === true;
    return there.version === entry.version && there.integrity === entry.integrity;
  });
}

/** True when the process that wrote the lock still runs and has not held it for longer than an install can take. */
function held() {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return Date.now() - statSync(lock).mtimeMs < staleAfterMs;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Takes the lock, or answers false. The file appears with its content at once, by a hard link. */
function take() {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves an abandoned lock away; of several that try, one succeeds. */
function breakLock() {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

function install() {
  // Install scripts are not needed by anything here, so they are never run. Development packages are always
  // wanted, whatever NODE_ENV says: the sources run through one of them.
  const args = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js") === true;
  const command = npm ? process.execPath : "npm";
  const result = spawnSync(command, npm ? [process.env.npm_execpath, ...args] : args, {
    cwd: root,
    encoding: "utf8",
    shell: !npm && process.platform === "win32",
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}${result.error ?? ""}\n`);
  process.stderr.write("The packages could not be installed (npm ci).\n");
  process.exitCode = 1;
}

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
  process.stderr.write(`Node 20.19, 22.12 or newer is needed; this is ${process.version}.\n`);
  process.exitCode = 1;
} else if (!installed()) {
  mkdirSync(dirname(lock), { recursive: true });
  while (!take()) {
    if (held()) await new Promise((resolve) => setTimeout(resolve, 200));
    else breakLock();
  }
  try {
    if (!installed()) install();
  } finally {
    rmSync(lock, { force: true });
  }
}
