import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { packageVersion } from "../../runtime/package-version.js";
import type { Command, CommandCall } from "../command.js";
import { Failure, fileFailure, usage } from "../failure.js";
import { type ProjectPlan, projectFiles } from "../init/project-files.js";
import { type StoreKind, stores } from "../init/stores.js";
import { quoted } from "../text/write-task.js";

const storeKinds = Object.keys(stores) as StoreKind[];

/** `parley init`: creates a project with a working agent. */
export const init: Command = {
  path: ["init"],
  summary: "Create a project with a working agent",
  args: [{ name: "folder", optional: true, help: "Folder for the project; asked for at a terminal" }],
  options: [
    {
      name: "language",
      takes: "ts|js",
      choices: ["ts", "js"],
      explicit: true,
      otherwise: "ts",
      help: "TypeScript or JavaScript",
    },
    {
      name: "store",
      takes: storeKinds.join("|"),
      choices: storeKinds,
      explicit: true,
      otherwise: "memory",
      help: "Where tasks are kept",
    },
    { name: "test", explicit: true, help: "Add a test (default)" },
    { name: "no-test", explicit: true, help: "Add no test" },
    { name: "docker", explicit: true, help: "Add a Dockerfile" },
    { name: "no-docker", explicit: true, help: "Add no Dockerfile (default)" },
    { name: "force", explicit: true, help: "Overwrite files that exist" },
    { name: "yes", short: "y", explicit: true, help: "Ask no questions: use the flags and the defaults" },
  ],
  examples: [
    "npx a2a-parley init",
    "parley init my-agent --yes && cd my-agent && npm start",
    "parley init my-agent --store postgres --docker",
  ],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { io, output, notes, values } = call;
  const { path, ...rest } = await choices(call);
  const folder = resolve(io.folder, path);
  const plan = { ...rest, name: packageName(basename(folder)), version: packageVersion() };
  const files = projectFiles(plan);
  const names = Object.keys(files);
  const existing = names.filter((name) => existsSync(join(folder, name)));
  if (existing.length > 0 && !values.isOn("force"))
    throw new Failure("PARLEY_ERR_FILE", `${path} already has ${existing.join(", ")}`, {
      hint: "choose another folder, or --force to overwrite these files",
    });
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  } catch (cause) {
    throw fileFailure(`${path} cannot be written`, cause);
  }
  output.print({ folder, files: names, overwritten: existing }, (page) => {
    for (const name of names)
      page.field(existing.includes(name) ? "Overwritten" : "Created", join(path, name));
  });
  const place = relative(io.folder, folder);
  notes.hint(`${place === "" ? "" : `cd ${quoted(place)} && `}npm start`);
}

type Choices = Omit<ProjectPlan, "name" | "version"> & { readonly path: string };

/** The choices for the project: from flags, from the user at a terminal, or the defaults. */
async function choices(call: CommandCall): Promise<Choices> {
  const { words, values, io } = call;
  const hasTest = either(call, "test");
  const hasDocker = either(call, "docker");
  const language = values.text("language");
  const store = values.text("store") as StoreKind | undefined;
  const [path] = words;
  const isAsking = io.isInputTerminal && io.isTerminal && !values.isOn("yes") && !call.output.isJson;
  if (!isAsking && path === undefined) throw usage("init needs <folder>", "parley init my-agent");
  const ask = isAsking ? questions(call) : undefined;
  // An answer is one of the options, or any text without options, for which Word is string.
  const pick = async <Word extends string>(
    given: Word | undefined,
    fallback: Word,
    question: string,
    options?: Readonly<Record<string, string>>,
  ): Promise<Word> => given ?? ((await ask?.answer(question, fallback, options)) as Word) ?? fallback;
  try {
    const folder = await pick(path, "my-agent", "Folder");
    const chosen = await pick(language, "ts", "Language", { ts: "TypeScript", js: "JavaScript" });
    const kept = await pick(store, "memory", "Store", helps);
    const test = await pick(hasTest, "yes", "A test", YES_OR_NO);
    const docker = await pick(hasDocker, "no", "A Dockerfile", YES_OR_NO);
    return {
      path: folder,
      language: chosen === "js" ? "js" : "ts",
      store: kept,
      hasTest: test === "yes",
      hasDocker: docker === "yes",
    };
  } finally {
    ask?.close();
  }
}

const YES_OR_NO = { yes: "", no: "" };

const helps = Object.fromEntries(storeKinds.map((kind) => [kind, stores[kind].help]));

/** The value of `--name` or `--no-name`. */
function either({ values }: CommandCall, name: string): "yes" | "no" | undefined {
  const [isOn, isOff] = [values.isOn(name), values.isOn(`no-${name}`)];
  if (isOn && isOff) throw usage(`--${name} and --no-${name} exclude each other`);
  return isOn ? "yes" : isOff ? "no" : undefined;
}

/** Asks questions on a terminal. An empty answer means the default, and the first letters of an option are enough. */
function questions({ io, notes, signal }: CommandCall) {
  const editor = io.edit();
  const close = (): void => editor.close();
  editor.onInterrupt = close;
  signal.addEventListener("abort", close);
  return {
    close: () => {
      signal.removeEventListener("abort", close);
      close();
    },
    async answer(
      question: string,
      fallback: string,
      options?: Readonly<Record<string, string>>,
    ): Promise<string> {
      const names = Object.keys(options ?? {});
      for (const [name, help] of Object.entries(options ?? {}))
        if (help !== "") io.err(`  ${name.padEnd(9)} ${help}\n`);
      const among = names.length > 0 ? ` [${names.join("/")}]` : "";
      for (;;) {
        const line = await editor.read(`${question}${among} (${fallback}): `);
        if (line === undefined) throw new Failure("PARLEY_ERR_INTERRUPTED", "Nothing was created");
        const word = line.trim();
        if (word === "") return fallback;
        const found = names.find((name) => name.startsWith(word.toLowerCase()));
        if (names.length === 0 || found !== undefined) return found ?? word;
        notes.warn(`${question}: ${names.join(" or ")}, not "${word}"`);
      }
    },
  };
}

/** A package name that npm accepts, from the name of a folder. */
function packageName(word: string): string {
  const name = word
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name || "agent";
}
