import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { callableVersions, newestClientVersion, optInVersions } from "../../../src/versions/client-codecs.js";
import { root } from "../../support/root.js";

/** The client as browsers load it: a program that connects, sends and streams, split into chunks. */
export interface ClientBundle {
  /** Minified bytes of each part, without what an earlier part has brought. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The same, compressed. */
  readonly compressed: ReadonlyMap<string, number>;
  /** Files and packages in it. */
  readonly inputs: readonly string[];
  /** Modules that it leaves to the platform to resolve. */
  readonly externals: readonly string[];
  /** Every file of the bundle by its name, the chunks of the first part, and that with which the program begins. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly first: readonly string[];
  readonly entry: string;
}

/** A part of the client that is loaded at once. */
interface BundlePart {
  /** The files with which it begins. */
  readonly starts: readonly string[];
  /** Minified bytes that it may have. Raise it when you mean it. */
  readonly limit: number;
  /** The same, compressed. */
  readonly compressed: number;
}

/** What the smallest program does that uses a client: all that it loads for this is the first part. */
const PROGRAM = `
import { connect } from "./src/client/index.ts";

export async function firstCalls(url) {
  const client = await connect(url);
  const { task } = await client.sendText("hi");
  const events = [];
  for await (const event of client.stream("hi")) events.push(event);
  return { task, events };
}
`;
const program = "<stdin>";

/** What that program loads, and what only those load who need it. A part does not count what a part before it has brought. */
export const PARTS: Readonly<Record<string, BundlePart>> = {
  "first calls": { starts: [program], limit: 72_000, compressed: 28_400 },
  errors: { starts: ["src/versions/received-error.ts"], limit: 8_000, compressed: 3_000 },
  "other spellings": {
    starts: [`src/versions/v${newestClientVersion}/decode-response.ts`],
    ...{ limit: 14_500, compressed: 6_500 },
  },
  "other cards": { starts: ["src/versions/decode-card.ts"], limit: 3_000, compressed: 1_400 },
  credentials: { starts: ["src/client/auth/authenticator.ts"], limit: 4_000, compressed: 1_850 },
  "HTTP+JSON": { starts: ["src/client/transports/http-json/transport.ts"], limit: 3_500, compressed: 1_700 },
  gRPC: {
    starts: [
      "src/client/transports/grpc/transport.ts",
      "src/client/transports/grpc/interfaces.ts",
      "src/client/transports/grpc/grpc-url.ts",
      "src/client/transports/grpc/web-connection.ts",
      "src/client/auth/grpc-credentials.ts",
      `generated/v${newestClientVersion}/grpc.ts`,
    ],
    limit: 32_000,
    compressed: 6_000,
  },
  "gRPC of version 0.3": { starts: ["generated/v0.3/grpc.ts"], limit: 24_000, compressed: 3_000 },
  catalog: { starts: ["src/client/card/catalog.ts"], limit: 4_000, compressed: 2_000 },
  skills: { starts: ["src/client/skill-calls.ts"], limit: 8_000, compressed: 3_200 },
  signatures: {
    starts: ["src/card/verify-card.ts"],
    limit: 19_000,
    compressed: 7_500,
  },
  options: { starts: ["src/client/check-options.ts"], limit: 2_800, compressed: 1_300 },
  lists: { starts: ["src/client/pages.ts"], limit: 1_000, compressed: 600 },
  "errors of connect": { starts: ["src/client/connect-error.ts"], limit: 3_700, compressed: 1_750 },
  "nearest names": { starts: ["src/json/unknown-name.ts"], limit: 2_000, compressed: 1_000 },
  schemas: { starts: ["src/json/schema/interpret-schema.ts"], limit: 20_000, compressed: 7_500 },
  ...Object.fromEntries(
    callableVersions
      .filter(isMinor)
      .map((version) => [`version ${version}`, codecPart(version, 2_000, 1_000)]),
  ),
  ...Object.fromEntries(
    [...optInVersions].map((version) => [
      `version ${version}`,
      {
        starts: [
          `src/versions/v${version}/client-codec.ts`,
          "src/client/stream/count-generations.ts",
          "src/client/held-reads.ts",
          `generated/v${version}/grpc.ts`,
        ],
        ...{ limit: 34_000, compressed: 6_500 },
      },
    ]),
  ),
  "tasks before updates": { starts: ["src/client/stream/add-task.ts"], limit: 800, compressed: 500 },
  "version 0.3": codecPart("0.3", 21_000, 7_500),
  "version 0.1": codecPart("0.1", 9_400, 3_700),
  "version 0.1-flat": codecPart("0.1/flat", 2_500, 1_200),
};

function codecPart(version: string, limit: number, compressed: number): BundlePart {
  return { starts: [`src/versions/v${version}/client-codec.ts`], limit, compressed };
}

/** An earlier minor version of the newest one has the newest codec, but for the operations that it lacks. */
function isMinor(version: string): boolean {
  if (optInVersions.has(version)) return false;
  return version !== newestClientVersion && version.split(".")[0] === newestClientVersion.split(".")[0];
}

const entry = join(root, "src/client/index.ts");

/** How browsers resolve what package.json chooses by platform. */
export const forBrowsers = { "#grpc": join(root, "src/client/transports/grpc/web-connection.ts") };

/**
 * Bundles the client for browsers. A module of Node in it fails the build.
 * @param banner a line at the start of each chunk
 */
export async function bundleClient(banner = ""): Promise<ClientBundle> {
  const { outputFiles, metafile } = await split(PROGRAM, banner);
  const parts = partsOf(metafile.outputs);
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const contents = (name: string): Uint8Array => files.get(basename(name)) ?? new Uint8Array();
  const sum = (size: (bytes: Uint8Array) => number) =>
    new Map(
      parts.map(([part, names]) => [part, names.reduce((total, name) => total + size(contents(name)), 0)]),
    );
  return {
    sizes: sum((bytes) => bytes.length),
    compressed: sum((bytes) => gzipSync(bytes).length),
    inputs: Object.keys(metafile.inputs),
    externals: Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external).map(({ path }) => path),
    ),
    files,
    first: (parts[0]?.[1] ?? []).map((name) => basename(name)),
    entry: basename(parts[0]?.[1][0] ?? ""),
  };
}

function split(contents: string, banner = "") {
  return build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    banner: { js: banner },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    alias: forBrowsers,
    outdir: "/bundle",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
}

/** A chunk and all that it imports at once, except what was taken before. */
function takeChunks(outputs: Metafile["outputs"], name: string, taken: Set<string>): string[] {
  if (taken.has(name)) return [];
  taken.add(name);
  const eager = outputs[name]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
  return [name, ...eager.flatMap(({ path }) => takeChunks(outputs, path, taken))];
}

/** What a page has at most that loads every export of the client at once, as from a content delivery network. */
export const ALL_EXPORTS = { limit: 85_000, compressed: 33_000 };

/** Minified and compressed bytes of the client with all that it exports, without what it imports on demand. */
export async function sizeOfExports(): Promise<{ size: number; packed: number }> {
  const { outputFiles, metafile } = await split('export * from "./src/client/index.ts";');
  const entries = Object.keys(metafile.outputs).filter(
    (name) => metafile.outputs[name]?.entryPoint === program,
  );
  const names = entries.flatMap((name) => takeChunks(metafile.outputs, name, new Set()));
  const chunks = names.map((name) => outputFiles.find(({ path }) => basename(path) === basename(name)));
  return {
    size: chunks.reduce((sum, chunk) => sum + (chunk?.contents.length ?? 0), 0),
    packed: chunks.reduce((sum, chunk) => sum + gzipSync(chunk?.contents ?? "").length, 0),
  };
}

/**
 * The chunks of each part: those with the files with which it begins, and all that they import at once.
 * @throws Error when a chunk belongs to no part, so that nothing is loaded unseen
 */
function partsOf(outputs: Metafile["outputs"]): [string, string[]][] {
  const taken = new Set<string>();
  const chunkOf = (file: string): string => {
    const found = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === file);
    if (found === undefined) throw new Error(`${file} is no chunk of its own`);
    return found;
  };
  const parts = Object.entries(PARTS).map(([part, { starts }]): [string, string[]] => [
    part,
    starts.flatMap((file) => takeChunks(outputs, chunkOf(file), taken)),
  ]);
  const unseen = Object.keys(outputs).filter((name) => !taken.has(name));
  if (unseen.length > 0) throw new Error(`Chunks of no part: ${unseen.join(", ")}`);
  return parts;
}

/** The client as one classic script that puts its exports into a global variable, for places without modules. */
export async function clientScript(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "iife",
    globalName: name,
    platform: "browser",
    alias: forBrowsers,
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** What a bundle has at most that imports a single name, in minified bytes. */
export const SINGLE_IMPORTS: readonly (readonly [name: string, from: string, limit: number])[] = [
  ["A2AError", "src/index.ts", 6_000],
  ["errors", "generated/v1.0/index.ts", 5_000],
  ["isMessage", "generated/v1.0/index.ts", 9_000],
  ["assertMessage", "generated/v1.0/index.ts", 9_000],
  ["isTask", "generated/v1.0/index.ts", 22_000],
  ["isMessage", "generated/v0.3/index.ts", 19_000],
];

/** Minified bytes of a program that imports one name and uses it. */
export async function sizeOfImport(name: string, from: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `import { ${name} } from "./${from}"; console.log(${name});`, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    alias: forBrowsers,
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.contents.length ?? Number.POSITIVE_INFINITY;
}
