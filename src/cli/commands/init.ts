import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import type { Command } from "../command.js";
import { fileFailure } from "../failure.js";
import { packageVersion } from "../package-version.js";

/** The files of a new project by path: an agent in plain JavaScript that needs no build. */
export function projectFiles(name: string, version: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(manifest(name, version), undefined, 2)}\n`,
    "agent.js": AGENT,
    "README.md": readme(name),
    ".gitignore": "node_modules/\n",
  };
}

/** Installs missing packages before the first start, even if this package lies in a parent folder. */
const PRESTART =
  "node -e \"try{require.resolve('a2a-parley/package.json')}catch{process.exit(1)}\" || npm install --no-audit --no-fund";

function manifest(name: string, version: string): object {
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: { prestart: PRESTART, start: "node agent.js" },
    dependencies: { "a2a-parley": `^${version}` },
    engines: { node: ">=20" },
  };
}

const AGENT = `import { artifact, completed, defineAgent, inputRequired, working } from "a2a-parley";
import { serve } from "a2a-parley/server";

const agent = defineAgent({
  card: {
    name: "Word counter",
    description: "Counts the words of a text.",
    skills: [{ id: "count", name: "Count words", description: "How many words a text has.", tags: ["text"] }],
  },

  // Runs for every message. What it yields is what callers see, as it happens.
  async *execute({ text, signal }) {
    if (text.trim() === "") return yield inputRequired("Which text?");
    yield working("Counting");
    const count = artifact({ name: "count" });
    const words = text.trim().split(/\\s+/);
    signal.throwIfAborted(); // The caller has canceled.
    yield count.text(\`\${words.length} words\`, { last: true });
    return yield completed();
  },
});

const { PORT = "41241" } = process.env;
const server = await serve(agent, { port: Number(PORT) });
console.log(\`Listening: \${server.url}\`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close());
`;

function readme(name: string): string {
  return `# ${name}

An agent that speaks A2A. \`agent.js\` is all of it: a card that says who it is, and \`execute\`, which does the work.

\`\`\`sh
npm start
\`\`\`

In another terminal:

\`\`\`sh
npx parley card get localhost:41241
npx parley send -a localhost:41241 "How many words are these?"
\`\`\`

\`PORT=8080 npm start\` listens elsewhere.
`;
}

/** `parley init`: creates a project with a working agent. */
export const init: Command = {
  path: ["init"],
  summary: "Create a project with a running agent",
  args: [{ name: "folder", help: "Folder for the project; it must be empty or not exist" }],
  options: [],
  examples: ["parley init my-agent && cd my-agent && npm start"],
  async run({ words, io, output, notes }) {
    const [path = "."] = words;
    const folder = resolve(io.folder, path);
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      throw fileFailure(`${path} cannot be created`, cause);
    });
    if ((await readdir(folder)).length > 0) throw fileFailure(`${path} is not empty`);
    const files = projectFiles(packageName(basename(folder)), packageVersion());
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    output.print({ folder, files: Object.keys(files) }, (page) => {
      for (const name of Object.keys(files)) page.field("Created", join(path, name));
    });
    const place = relative(io.folder, folder);
    notes.hint(`${place === "" ? "" : `cd ${place} && `}npm start`);
  },
};

/** A name that npm accepts. */
function packageName(word: string): string {
  const name = word
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name || "agent";
}
