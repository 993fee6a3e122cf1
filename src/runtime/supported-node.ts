/** The oldest major version of Node that this library runs on. */
const OLDEST_MAJOR = 20;

/** The type of `process.versions`. Bun and Deno state the version of Node that they are compatible with; browsers state none. */
export type PlatformVersions = { readonly node?: string | undefined } | undefined;

/** The text of the error on a major version of Node that is too old; undefined on newer ones and on other platforms. */
export function unsupportedNode(versions: PlatformVersions): string | undefined {
  const node = versions?.node;
  if (node === undefined || Number.parseInt(node, 10) >= OLDEST_MAJOR) return undefined;
  return `a2a-parley needs Node 20.19, 22.12 or newer, and this is Node ${node}. Install a newer one from https://nodejs.org`;
}

/**
 * Refuses a major version of Node that is too old. Modules that every use of an entry point imports call it, so that the import fails,
 * and not the first call of a function that Node does not have.
 * @throws Error that names the versions that are supported
 */
export function checkNodeVersion(versions: PlatformVersions): void {
  const unsupported = unsupportedNode(versions);
  if (unsupported !== undefined) throw new Error(unsupported);
}
