import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../../invariants/source-file.js";

/** The client as browsers load it. */
export interface ClientBundle {
  /** What everybody loads, and what only those load who verify signatures. */
  readonly sizes: { readonly client: number; readonly signatures: number };
  /** The same, compressed. */
  readonly compressed: { readonly client: number; readonly signatures: number };
  /** Files and packages in it. */
  readonly inputs: readonly string[];
  /** Modules that it leaves to the platform to resolve. */
  readonly externals: readonly string[];
}

/** Minified bytes that the client may have, the part for signatures apart. Raise it when you mean it. */
export const LIMITS = { client: 355_000, signatures: 30_000 };

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
  const outputs = Object.values(metafile.outputs);
  const onDemand = new Set(
    outputs
      .flatMap(({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import"))
      .map(({ path }) => path),
  );
  const isOnDemand = (path: string): boolean =>
    [...onDemand].some((name) => path.endsWith(name.replace(/^.*\//, "/")));
  const sum = (signatures: boolean, size: (bytes: Uint8Array) => number): number =>
    outputFiles
      .filter(({ path }) => isOnDemand(path) === signatures)
      .reduce((total, { contents }) => total + size(contents), 0);
  const both = (size: (bytes: Uint8Array) => number) => ({
    client: sum(false, size),
    signatures: sum(true, size),
  });
  return {
    sizes: both((bytes) => bytes.length),
    compressed: both((bytes) => gzipSync(bytes).length),
    inputs: Object.keys(metafile.inputs),
    externals: outputs.flatMap(({ imports }) =>
      imports.filter(({ external }) => external).map(({ path }) => path),
    ),
  };
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
