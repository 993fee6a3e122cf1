import { register } from "../requirements/register.js";
import { ts } from "../support/typescript.js";
import { parse, type Rule, type SourceFile } from "./source-file.js";

/** Words that `src/` and `codegen/` do not use any more, and why: what they mean is plain to those who coined them only. */
export const retiredWords: Readonly<Record<string, string>> = {
  whoever: "name the subject: the caller, the node, the reader",
  somebody: "name the subject",
  nobody: "name the subject",
  anybody: "name the subject",
  everybody: "name the subject: every caller, all readers",
  dear: "expensive",
  births: "the version of a task: TaskVersionCache",
  tenure: "a lease: TaskLease",
  surroundings: "what an object works with: …Deps",
  giveBack: "releaseLease",
  fillUp: "withDefaults",
  courier: "a worker: WebhookWorker",
  hotTask: "a cache: TaskCache",
  custody: "RetentionActions",
  foreignWrites: "ExternalWritePoller",
  unprovoked: "Inconclusive",
  jointWork: "SingleFlight",
  leash: "connectionDeadline",
  callerFault: "clientError",
  standIn: "fallback",
  "stand-in": "fallback",
  "stand-ins": "fallbacks",
  customs: "conventions",
  patience: "a time limit: responseTimeout, maxSilence",
  born: "created",
};

const retired = new RegExp(`\\b(?:${Object.keys(retiredWords).join("|")})s?\\b`, "gi");

/** Names and sentences use the words of the trade. `unprovoked` is a verdict in the JSON of a published report. */
export const plainWords: Rule = (files) =>
  sources(files).flatMap((file) =>
    file.text.split("\n").flatMap((line, index) => {
      const found = [...(line.match(retired) ?? [])].filter((word) => word !== "unprovoked");
      return found.map((word) => `${file.path}:${index + 1}: "${word}" is retired: ${reasonOf(word)}`);
    }),
  );

function reasonOf(word: string): string {
  const entry = Object.entries(retiredWords).find(([known]) =>
    [known, `${known}s`].some((form) => form.toLowerCase() === word.toLowerCase()),
  );
  return entry?.[1] ?? "";
}

const groups = new Set(register.map(({ id }) => id.slice(0, -3)));
const id = /\b([A-Z]+(?:-[A-Z]+)*)-\d\d\b/g;
const comment = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g;

/** Folders whose subject are the requirements: they cite ids. */
const citing = ["src/conformance/", "src/testing/store-contract/"];

/** Comments cite sections of the specification, which every reader has, and no ids of this repository's register. */
export const sectionsOnly: Rule = (files) =>
  sources(files)
    .filter(({ path }) => !citing.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(comment)].flatMap((found) =>
        [...found[0].matchAll(id)]
          .filter(([, group]) => groups.has(group ?? ""))
          .map((cited) => {
            const line = text.slice(0, found.index + cited.index).split("\n").length;
            return `${path}:${line}: cites ${cited[0]}: name the section of the specification`;
          }),
      ),
    );

/** Folders that do the same for different versions, bindings, databases or platforms, with the same names on purpose. */
const parallel = [
  "src/versions/",
  "src/stores/",
  "src/server/bindings/",
  "src/client/transports/",
  "src/runtime/",
  "src/push/url-guard/",
];

/** One name has one meaning: two files of `src/` do not export the same name, unless they are parallel. */
export const oneMeaning: Rule = (files) => {
  const places = new Map<string, string[]>();
  for (const file of files) {
    if (!file.path.startsWith("src/") || file.path.endsWith("/index.ts")) continue;
    for (const name of new Set(exportedBy(file))) places.set(name, [...(places.get(name) ?? []), file.path]);
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1 && !areParallel(paths))
    .map(([name, paths]) => `${name}: exported from ${paths.join(" and ")}`);
};

function areParallel(paths: readonly string[]): boolean {
  return parallel.some((folder) => paths.every((path) => path.startsWith(folder)));
}

/** Names that a file declares and exports; re-exports have their name from elsewhere. */
function exportedBy(file: SourceFile): string[] {
  return parse(file).statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    const { name } = statement as { name?: { text: string } };
    return name === undefined ? [] : [name.text];
  });
}

function sources(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ path }) => path.startsWith("src/") || path.startsWith("codegen/"));
}
