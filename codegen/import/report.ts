import type { Change, ChangeKind } from "./change.js";

const titles: Readonly<Record<ChangeKind, string>> = {
  added: "Added",
  removed: "Removed",
  renamed: "Renamed (suspected)",
  changed: "Changed",
};

/** Lines for people: changes by kind, each marked when it breaks peers of the version before. */
export function describeChanges(changes: readonly Change[]): string[] {
  const lines = (Object.keys(titles) as ChangeKind[]).flatMap((kind) => {
    const rows = changes.filter((change) => change.kind === kind);
    if (rows.length === 0) return [];
    return [`${titles[kind]}:`, ...rows.map(describeChange)];
  });
  const breaking = changes.filter((change) => change.breaking).length;
  return changes.length === 0
    ? ["Nothing differs."]
    : [
        ...lines,
        `${changes.length} ${changes.length === 1 ? "difference" : "differences"}, ${breaking === 0 ? "none" : breaking} breaking.`,
      ];
}

function describeChange({ subject, path, text, breaking }: Change): string {
  return `  ${breaking ? "! " : "  "}${subject} ${path}: ${text}`;
}

/** A titled list; nothing when the list is empty. */
export function section(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...rows.map((row) => `    ${row}`)];
}
