import type { RunResult } from "../run.js";
import { compareVersions, isDraft } from "../version-order.js";
import { FileChanges } from "./file-changes.js";

/** Files outside the codec that name the newest version: the doors of the generated code, and the entry point that exports its types. */
const doors = [
  ...["src/protocol/model.ts", "src/protocol/operations.ts", "src/protocol/errors.ts"],
  "src/index.ts",
];
/** Each table with the row for the previous version, whose codec is imported on demand. */
const tables = [
  {
    file: "src/versions/codecs.ts",
    row: (before: string) =>
      [
        "[",
        `    "${before}",`,
        `    { ...loaded(newest), isUnlisted: false, load: async () => (await import("./v${before}/codec.js")).codec },`,
        "  ],",
      ].join("\n"),
  },
  {
    file: "src/versions/client-codecs.ts",
    row: (before: string) =>
      `["${before}", async () => (await import("./v${before}/client-codec.js")).clientCodec],`,
  },
];

/**
 * Makes a version that was imported and generated the newest one of `<root>/src`, when it is a later minor version: the newest
 * codec and its tests become its own, and the version before becomes the same without the operations that it lacks, so that
 * both are served and called. A version of another kind needs a codec of its own.
 */
export async function adoptVersion(root: string, version: string): Promise<RunResult> {
  const files = new FileChanges(root);
  const before = await newestVersion(files);
  if (isDraft(version))
    return { lines: [`${version} is a draft: it has a codec beside the newest version`], exitCode: 1 };
  if (before === version) return { lines: [`${version} is the newest already`], exitCode: 0 };
  if (compareVersions(version, before) < 0)
    return {
      lines: [`${version} is not later than ${before}, the newest: there is nothing to adopt`],
      exitCode: 1,
    };
  if (before.split(".")[0] !== version.split(".")[0]) {
    return {
      lines: [`${version} is not a minor version of ${before}: it needs a codec of its own`],
      exitCode: 1,
    };
  }
  if ((await files.read(`schema/v${version}/operations.json`)) === undefined) {
    return { lines: [`schema/v${version} is not there yet: npm run schema:import writes it`], exitCode: 1 };
  }
  if ((await files.read(`generated/v${version}/operations.ts`)) === undefined) {
    return { lines: [`generated/v${version} is not there yet: npm run codegen writes it`], exitCode: 1 };
  }
  const odd = await unservedRoutes(files, version);
  if (odd.length > 0) return { lines: odd, exitCode: 1 };
  const toNewest = (text: string) =>
    text
      .replaceAll(`generated/v${before}/`, `generated/v${version}/`)
      .replaceAll(`versions/v${before}/`, `versions/v${version}/`)
      .replaceAll(`protocol ${before}`, `protocol ${version}`);
  for (const folder of ["src/versions", "test/versions"]) {
    for (const file of await move(files, `${folder}/v${before}`, `${folder}/v${version}`)) {
      await edit(files, file, toNewest);
    }
  }
  for (const file of doors) await edit(files, file, toNewest);
  for (const file of await olderCodecs(files)) {
    await edit(files, file, (text) => text.replaceAll(`../v${before}/`, `../v${version}/`));
  }
  for (const file of await besideCodecs(files)) {
    await edit(files, file, (text) => text.replaceAll(`from "./v${before}/`, `from "./v${version}/`));
  }
  for (const { file, row } of tables) {
    await edit(files, file, (text) =>
      text.replace(/^ *\[newest\.version, .*\],\n/m, (newest) => `${newest}  ${row(before)}\n`),
    );
  }
  await edit(files, "package.json", (text) => beforeFirst(text, '    "./v', exportOf(version)));
  await edit(files, "tsconfig.json", (text) => beforeFirst(text, '      "a2a-parley/v', pathOf(version)));
  await writeEarlier(files, before, version);
  await files.commit();
  return {
    lines: [
      `src/versions/v${version} is the codec of the newest version; src/versions/v${before} the same under its own name`,
      "next: npm run check",
    ],
    exitCode: 0,
  };
}

/** Routes that the codec of the newest version reads in another way than they are meant: a body of their own, a variable of several segments. */
async function unservedRoutes(files: FileChanges, version: string): Promise<string[]> {
  const text = (await files.read(`schema/v${version}/operations.json`)) ?? "{}";
  const {
    operations = [],
  }: { operations?: { name: string; http: { verb: string; path: string; body?: string }[] }[] } =
    JSON.parse(text);
  return operations.flatMap(({ name, http }) =>
    http
      .filter(({ path, body }) => body !== undefined || path.includes("="))
      .map(
        ({ verb, path }) =>
          `${name}: ${verb} ${path} needs a codec of its own: its body or a variable is one that 1.0 does not have`,
      ),
  );
}

/** The version whose generated code the doors open to. */
async function newestVersion(files: FileChanges): Promise<string> {
  const text = await files.read(doors[0] ?? "");
  return /generated\/v([\d.]+)\//.exec(text ?? "")?.[1] ?? "";
}

/** Files of the codecs, the older of which lean on that of the newest version. */
async function olderCodecs(files: FileChanges): Promise<string[]> {
  const paths = await files.list("src/versions");
  return paths.filter((path) => /^src\/versions\/v[\d.]+(?:-draft)?\/.*\.ts$/.test(path));
}

/** Files beside the folders of the codecs, some of which begin with that of the newest version. */
async function besideCodecs(files: FileChanges): Promise<string[]> {
  const paths = await files.list("src/versions");
  return paths.filter((path) => /^src\/versions\/[^/]+\.ts$/.test(path));
}

/** Moves the files of a folder, except the table of decisions, which stays with its version; gives their new paths. */
async function move(files: FileChanges, from: string, to: string): Promise<string[]> {
  const moved = (await files.list(from)).filter((path) => path !== `${from}/decisions.ts`);
  const paths: string[] = [];
  for (const path of moved) {
    const target = to + path.slice(from.length);
    files.write(target, (await files.read(path)) ?? "");
    files.remove(path);
    paths.push(target);
  }
  return paths;
}

async function edit(files: FileChanges, path: string, change: (text: string) => string): Promise<void> {
  const text = await files.read(path);
  if (text === undefined) throw new Error(`${path} is not there`);
  files.write(path, change(text));
}

/** The entry point of the generated code of a version in package.json. */
function exportOf(version: string): string {
  const file = `./dist/generated/v${version}/index`;
  return [
    `    "./v${version}": {`,
    `      "types": "${file}.d.ts",`,
    `      "default": "${file}.js"`,
    "    },",
    "",
  ].join("\n");
}

/** The same for the compiler, which reads the sources. */
function pathOf(version: string): string {
  return `      "a2a-parley/v${version}": ["./generated/v${version}/index.ts"],\n`;
}

/** Inserts lines before the first line that begins like this and names a version. */
function beforeFirst(text: string, start: string, lines: string): string {
  const index = new RegExp(`^${start}\\d`, "m").exec(text)?.index ?? text.length;
  return text.slice(0, index) + lines + text.slice(index);
}

/** The codecs of the version before: requests are read as in the newest version, which only adds to it. */
async function writeEarlier(files: FileChanges, before: string, version: string): Promise<void> {
  const generated = `../../../generated/v${before}`;
  const { operations } = JSON.parse((await files.read(`schema/v${before}/operations.json`)) ?? "{}");
  const names: string[] = operations.map(({ name }: { name: string }) => `  ${name}: true,`);
  const texts = {
    "fields.ts": `import { enums, type Field, type MessageName, memberTexts } from "${generated}/fields.js";
import { readFields } from "../../protocol/fields.js";

/** The members of every message of protocol ${before}, in schema order. */
export const messages = /* @__PURE__ */ readFields<MessageName, Field>(memberTexts, enums);
`,
    "codec.ts": `import { operations, protocolVersion, serviceName } from "${generated}/operations.js";
import { decodeRequest } from "../v${version}/decode.js";
import { service as newest } from "../v${version}/grpc.js";
import { serverCodec } from "../v${version}/server-codec.js";
import { decisions } from "./decisions.js";
import { messages } from "./fields.js";

/** The methods and messages of ${version}, which has every value that the engine may use. */
const service = { ...newest, service: serviceName };

/** The server side of protocol ${before}. Requests are read as in ${version}, which only adds to it. */
export const codec = serverCodec({
  version: protocolVersion,
  ...{ decisions, operations, messages, service, decodeRequest },
});
`,
    // The table of operations is not loaded for their names: it is large.
    "client-codec.ts": `import type { OperationName } from "${generated}/operations.js";
import type { ClientCodec } from "../client-codec.js";
import { clientCodec as newest } from "../v${version}/client-codec.js";

/** The operations of protocol ${before}: the compiler refuses one too few or too many. */
const known: Readonly<Record<OperationName, true>> = {
${names.join("\n")}
};

const own = {
  version: "${before}",
  calls: new Map([...newest.calls].filter(([name]) => Object.hasOwn(known, name))),
};

/** The client side of protocol ${before}: that of ${version}, which only adds to it, without the operations that it lacks. */
export const clientCodec: ClientCodec = {
  ...newest,
  ...own,
  forBinding: (binding) => ({ ...(newest.forBinding?.(binding) ?? newest), ...own }),
};
`,
  };
  for (const [name, text] of Object.entries(texts)) files.write(`src/versions/v${before}/${name}`, text);
}
