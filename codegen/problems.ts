/** One reason why the schema is refused. */
export interface Problem {
  /** File as given to `load`, relative to the repository. */
  readonly file: string;
  /** JSON pointer into that file; empty for the document itself. */
  readonly pointer: string;
  readonly reason: string;
}

/** The schema cannot be used. The error has every problem that was found, not only the first. */
export class SchemaError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.name = "SchemaError";
    this.problems = problems;
  }
}

/** A problem on one line: `file#/pointer: reason`. */
function describeProblem({ file, pointer, reason }: Problem): string {
  return `${file}#${pointer}: ${reason}`;
}

/** A position in a document, from which problems are reported. */
export interface Place {
  readonly pointer: string;
  at(...tokens: readonly (string | number)[]): Place;
  report(reason: string): void;
}

/** The root place of a document; `report` appends to `problems`. */
export function rootPlace(file: string, problems: Problem[]): Place {
  const place = (pointer: string): Place => ({
    pointer,
    at: (...tokens) =>
      place(tokens.reduce<string>((path, token) => `${path}/${escapeToken(token)}`, pointer)),
    report: (reason) => {
      problems.push({ file, pointer, reason });
    },
  });
  return place("");
}

function escapeToken(token: string | number): string {
  return String(token).replaceAll("~", "~0").replaceAll("/", "~1");
}
