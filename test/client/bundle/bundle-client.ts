import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { root } from "../../invariants/source-file.js";

/** A part of the client that is loaded at once. */
export type BundlePart = keyof typeof LIMITS;

/** The client as browsers load it. */
export interface ClientBundle {
  /** Minified bytes of each part, without what an earlier part has brought. */
  readonly sizes: Readonly<Record<BundlePart, number>>;
  /** The same, compressed. */
  readonly compressed: Readonly<Record<BundlePart, number>>;
  /** Files and packages in it. */
  readonly inputs: readonly string[];
  /** Modules that it leaves to the platform to resolve. */
  readonly externals: readonly string[];
}

/** Minified bytes that each part may have. Raise it when you mean it. */
export const LIMITS = {
  client: 212_000,
  signatures: 30_000,
  "version 0.3": 140_000,
  "version 0.1": 16_000,
  "version 0.1x": 8_000,
};

/** The files with which the parts begin: what everybody loads, and what only those load who need it. */
const starts: Readonly<Record<BundlePart, readonly string[]>> = {
  client: ["src/client/index.ts"],
  signatures: ["src/card/verify-card.ts", "src/card/card-signature-error.ts"],
  "version 0.3": ["src/wire/v0.3/client-codec.ts"],
  "version 0.1": ["src/wire/v0.1/client-codec.ts"],
  "version 0.1x": ["src/wire/v0.1x/client-codec.ts"],
};

const entry = join(root, "src/client/index.ts");

/** Bundles the client for browsers. A module of Node in it fails the build. */
export async function bundleClient(): Promise<ClientBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    outdir: "/bundle",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const parts = partsOf(metafile.outputs);
  const contents = (name: string): Uint8Array =>
    outputFiles.find(({ path }) => basename(path) === basename(name))?.contents ?? new Uint8Array();
  const sum = (size: (bytes: Uint8Array) => number) =>
    Object.fromEntries(
      parts.map(([part, names]) => [part, names.reduce((total, name) => total + size(contents(name)), 0)]),
    ) as Record<BundlePart, number>;
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
function partsOf(outputs: Metafile["outputs"]): [BundlePart, string[]][] {
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
  const parts = Object.entries(starts).map(([part, files]): [BundlePart, string[]] => [
    part as BundlePart,
    files.flatMap((file) => take(chunkOf(file))),
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
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
