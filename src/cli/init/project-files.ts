import { dockerFiles } from "./docker-files.js";
import { agentSource, mainSource, testSource } from "./sources.js";
import { type StoreKind, stores } from "./stores.js";

/** The choices for a new project. */
export interface ProjectPlan {
  readonly name: string;
  /** Version of this package to depend on. */
  readonly version: string;
  readonly language: "ts" | "js";
  readonly store: StoreKind;
  readonly hasTest: boolean;
  readonly hasDocker: boolean;
}

/** The files of a new project by path. */
export function projectFiles(plan: ProjectPlan): Readonly<Record<string, string>> {
  const { language, hasTest, hasDocker } = plan;
  const isTyped = language === "ts";
  return {
    "package.json": json(manifest(plan)),
    ...(isTyped && { "tsconfig.json": json(TSCONFIG), "tsconfig.build.json": json(TSCONFIG_BUILD) }),
    [`src/agent.${language}`]: agentSource,
    [`src/main.${language}`]: mainSource(plan.store),
    ...(hasTest && { [`test/agent.test.${language}`]: testSource }),
    ...(hasDocker && dockerFiles(plan)),
    "README.md": readme(plan),
    ".gitignore": "node_modules/\ndist/\n*.db\n*.db-shm\n*.db-wal\n",
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["src", "test"],
};

/** Tests are type-checked but not built. */
const TSCONFIG_BUILD = {
  extends: "./tsconfig.json",
  compilerOptions: { noEmit: false, rootDir: "src", outDir: "dist" },
  include: ["src"],
};

/** Installs the packages before the first start. Packages that a parent folder has installed are not missing. */
function prestart(needed: readonly string[]): string {
  const tries = needed.map((name) => `require.resolve('${name}/package.json')`).join(";");
  return `node -e "try{${tries}}catch{process.exit(1)}" || npm install --no-audit --no-fund`;
}

function manifest({ name, version, language, store, hasTest }: ProjectPlan): object {
  const isTyped = language === "ts";
  const { dependencies } = stores[store];
  const loader = isTyped ? "--import tsx " : "";
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      prestart: prestart(["a2a-parley", ...(isTyped ? ["tsx"] : [])]),
      start: `node ${loader}src/main.${language}`,
      dev: `node --watch ${loader}src/main.${language}`,
      ...(hasTest && { test: `node ${loader}--test test/agent.test.${language}` }),
      ...(isTyped && { check: "tsc", build: "tsc -p tsconfig.build.json" }),
    },
    dependencies: { "a2a-parley": `^${version}`, ...dependencies },
    ...(isTyped && {
      devDependencies: { "@types/node": "^20.19.0", tsx: "^4.20.0", typescript: "^5.9.0" },
    }),
    engines: { node: "^20.19.0 || >=22.12.0" },
  };
}

function readme({ name, language, store, hasTest, hasDocker }: ProjectPlan): string {
  const isTyped = language === "ts";
  const scripts = [
    ["npm start", "Installs missing packages and serves the agent"],
    ["npm run dev", "Serves the agent, and restarts it when a file changes"],
    ...(hasTest ? [["npm test", "Runs the tests"]] : []),
    ...(isTyped ? [["npm run check", "Checks the types"]] : []),
    ...(isTyped ? [["npm run build", "Writes JavaScript to `dist/`"]] : []),
  ];
  const variables = [
    ["PORT", "Port to listen on; 41241 by default"],
    ["HOST", "Address to listen on; by default only this machine can connect, with `0.0.0.0` all can"],
    ["PUBLIC_URL", "URL that callers use, if it differs from the address of this process"],
    ...stores[store].variables,
  ];
  return `# ${name}

An agent that speaks [A2A](https://a2a-protocol.org). \`src/agent.${language}\` defines the agent: a card that describes it, and \`execute\`, which
does the work. \`src/main.${language}\` serves it.

| Command | What it does |
|---|---|
${scripts.map(([command, does]) => `| \`${command}\` | ${does} |`).join("\n")}

While the agent is running, call it from another terminal:

\`\`\`sh
npx a2a-parley card get localhost:41241
npx a2a-parley chat -a localhost:41241
npx a2a-parley conformance localhost:41241
\`\`\`

| Variable | Meaning |
|---|---|
${variables.map(([variable, meaning]) => `| \`${variable}\` | ${meaning} |`).join("\n")}

${stores[store].note}
${hasDocker ? `\n${docker(name, store)}` : ""}`;
}

function docker(name: string, store: StoreKind): string {
  return `\`\`\`sh
docker build -t ${name} .
docker run --rm -p 41241:41241${stores[store].dockerFlags} ${name}
\`\`\`

\`docker stop\` lets pending responses finish. The container runs as a user without privileges and reports its health.
`;
}
