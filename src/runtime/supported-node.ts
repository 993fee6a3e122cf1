/** The oldest major version of Node that this library runs on. */
const OLDEST_MAJOR = 20;

/** The type of `process.versions`. Bun and Deno state the version of Node that they are compatible with; browsers state none. */
export type PlatformVersions = { readonly node?: string | undefined } | undefined;

/** Cause and remedy on a version of Node that this library cannot run on; undefined on a version that is new enough. */
export function unsupportedNode(versions: PlatformVersions): string | undefined {
  const node = versions?.node;
  if (node === undefined || Number.parseInt(node, 10) >= OLDEST_MAJOR) return undefined;
  return `a2a-parley needs Node 20.19, 22.12 or newer, and this is Node ${node}. Install a newer one from https://nodejs.org`;
}

/**
 * For modules that every use of an entry point imports: an old version is refused at the import, before the first call of a function
 * that it does not have.
 * @throws Error
 */
export function checkNodeVersion(versions: PlatformVersions): void {
  const unsupported = unsupportedNode(versions);
  if (unsupported !== undefined) throw new Error(unsupported);
}
