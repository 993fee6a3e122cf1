/** A paragraph, or an item of a list, as one line. */
interface Prose {
  readonly kind: "prose";
  readonly text: string;
}

/** A table: its cells by row, the first of which has the names of the columns. */
interface Table {
  readonly kind: "table";
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A part of a Markdown page below its heading. */
export type Block = (Prose | Table) & {
  /** Number of the section, or else its title: `3.3.2`. */
  readonly section: string;
};

const heading = /^#{1,6}\s+(.*?)\s*#*$/;
const fence = /^\s*(`{3,}|~{3,})/;
const rule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const item = /^\s*(?:[-*+]|\d+[.)])\s+/;

/** Cuts a Markdown page into paragraphs, items and tables. Code, comments and pictures are left out. */
export function markdownBlocks(page: string): Block[] {
  const blocks: Block[] = [];
  let section = "";
  let lines: string[] = [];
  const end = () => {
    const block = blockOf(lines);
    lines = [];
    if (block !== undefined) blocks.push({ ...block, section });
  };
  let fenced: string | undefined;
  for (const line of page.replace(/<!--[\s\S]*?-->/g, "").split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1];
    if (fenced !== undefined) {
      if (mark?.startsWith(fenced)) fenced = undefined;
      continue;
    }
    const title = heading.exec(line)?.[1];
    const isTable = line.trimStart().startsWith("|");
    const wasTable = lines.length > 0 && lines[0]?.trimStart().startsWith("|");
    if (mark !== undefined || title !== undefined || line.trim() === "" || item.test(line)) end();
    else if (isTable !== wasTable) end();
    fenced = mark;
    if (title !== undefined) section = sectionOf(title);
    else if (mark === undefined && line.trim() !== "") lines.push(line);
  }
  end();
  return blocks;
}

function blockOf(lines: readonly string[]): Prose | Table | undefined {
  const [first = "", second = "", ...rest] = lines;
  if (first.trimStart().startsWith("|")) {
    return rule.test(second) ? { kind: "table", head: cells(first), rows: rest.map(cells) } : undefined;
  }
  const text = plain(
    lines
      .join(" ")
      .replace(item, "")
      .replace(/^\s*>\s?/, ""),
  );
  return text === "" ? undefined : { kind: "prose", text };
}

function cells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => plain(cell.replaceAll("\\|", "|")));
}

/** Text without emphasis, links and tags. Code keeps its marks. */
function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<br\s*\/?>/gi, " ")
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/\*\*|__/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** `### 3.3.2. Error Handling {#errors}` is `3.3.2`. */
function sectionOf(title: string): string {
  const text = plain(title.replace(/\{[^}]*\}$/, ""));
  return /^(\d+(?:\.\d+)*)\.?(?:\s|$)/.exec(text)?.[1] ?? text;
}
