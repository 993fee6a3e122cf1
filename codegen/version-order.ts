/** A protocol version: `1.1`, or `1.1-draft` before it is released. */
const pattern = /^(\d+)\.(\d+)(-draft)?$/;

/** Whether a string is a version. */
export function isVersion(text: string): boolean {
  return pattern.test(text);
}

/** Whether a version is a draft, which is never the newest: models, handlers and documentation stay with the released version. */
export function isDraft(version: string): boolean {
  return version.endsWith("-draft");
}

/** Compares versions by number: 0.9 is before 0.10, and a draft before the released version. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.replace(/-draft$/, ""));
  return (
    (a ?? "").localeCompare(b ?? "", "en", { numeric: true }) || Number(isDraft(other)) - Number(isDraft(one))
  );
}

/** The major version, as a string. */
export function majorOf(version: string): string {
  return version.split(".")[0] ?? "";
}

/** The newest released version of a list; undefined if there is none. */
export function newestOf(versions: Iterable<string>): string | undefined {
  return [...versions]
    .filter((version) => !isDraft(version))
    .sort(compareVersions)
    .at(-1);
}

/** The released version that a version adds to: the newest one before it with the same major version; undefined if there is none. */
export function predecessorOf(version: string, versions: Iterable<string>): string | undefined {
  const earlier = [...versions].filter(
    (other) => majorOf(other) === majorOf(version) && compareVersions(other, version) < 0,
  );
  return newestOf(earlier);
}

/** Whether minor versions of its major version only add to it. Before 1.0 they also rename. */
export function isStable(version: string): boolean {
  return majorOf(version) !== "0";
}
