import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { callableVersions, newestClientVersion } from "../../../src/versions/client-codecs.js";
import { root } from "../../support/root.js";

/** The client as browsers load it. */
export interface ClientBundle {
  /** Minified bytes of each part, without what an earlier part has brought. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The same, compressed. */
  readonly compressed: ReadonlyMap<string, number>;
  /** Files and packages in it. */
  readonly inputs: readonly string[];
  /** Modules that it leaves to the platform to resolve. */
  readonly externals: readonly string[];
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

/** What everybody loads, and what only those load who need it. */
export const PARTS: Readonly<Record<string, BundlePart>> = {
  client: { starts: ["src/client/index.ts"], limit: 118_000, compressed: 44_000 },
  signatures: {
    starts: ["src/card/verify-card.ts", "src/card/card-signature-error.ts"],
    limit: 19_000,
    compressed: 7_500,
  },
  "nearest names": { starts: ["src/json/unknown-name.ts"], limit: 2_000, compressed: 1_000 },
  catalog: { starts: ["src/client/card/catalog.ts"], limit: 4_000, compressed: 2_000 },
  gRPC: {
    starts: ["src/client/transports/grpc/web-connection.ts", `generated/v${newestClientVersion}/grpc.ts`],
    limit: 32_000,
    compressed: 5_000,
  },
  schemas: { starts: ["src/json/schema/interpret-schema.ts"], limit: 20_000, compressed: 7_500 },
  ...Object.fromEntries(
    callableVersions
      .filter(isMinor)
      .map((version) => [`version ${version}`, codecPart(version, 2_000, 1_000)]),
  ),
  "version 0.3": codecPart("0.3", 21_000, 7_500),
  "version 0.1": codecPart("0.1", 9_000, 3_500),
  "version 0.1-flat": codecPart("0.1/flat", 2_500, 1_200),
};

function codecPart(version: string, limit: number, compressed: number): BundlePart {
  return { starts: [`src/versions/v${version}/client-codec.ts`], limit, compressed };
}

/** An earlier minor version of the newest one has the newest codec, but for the operations that it lacks. */
function isMinor(version: string): boolean {
  return version !== newestClientVersion && version.split(".")[0] === newestClientVersion.split(".")[0];
}

const entry = join(root, "src/client/index.ts");

/** How browsers resolve what package.json chooses by platform. */
export const forBrowsers = { "#grpc": join(root, "src/client/transports/grpc/web-connection.ts") };

/** Bundles the client for browsers. A module of Node in it fails the build. */
export async function bundleClient(): Promise<ClientBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
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
  const parts = partsOf(metafile.outputs);
  const contents = (name: string): Uint8Array =>
    outputFiles.find(({ path }) => basename(path) === basename(name))?.contents ?? new Uint8Array();
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
  };
}

/**
 * The chunks of each part: those with the files with which it begins, and all that they import at once.
 * @throws Error when a chunk belongs to no part, so that nothing is loaded unseen
 */
function partsOf(outputs: Metafile["outputs"]): [string, string[]][] {
  const taken = new Set<string>();
  const take = (name: string): string[] => {
    if (taken.has(name)) return [];
    taken.add(name);
    const eager = outputs[name]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
    return [name, ...eager.flatMap(({ path }) => take(path))];
  };
  const chunkOf = (file: string): string => {
    const found = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === file);
    if (found === undefined) throw new Error(`${file} is no chunk of its own`);
    return found;
  };
  const parts = Object.entries(PARTS).map(([part, { starts }]): [string, string[]] => [
    part,
    starts.flatMap((file) => take(chunkOf(file))),
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
