/** Kinds of changes to a name. */
export type ChangeKind = "added" | "removed" | "renamed" | "changed";

/** What a change is about. */
export type Subject =
  | "message"
  | "field"
  | "enum"
  | "enum value"
  | "operation"
  | "route"
  | "service"
  | "error"
  | "rule";

/** One difference between two versions. */
export interface Change {
  readonly kind: ChangeKind;
  readonly subject: Subject;
  /** Where, such as `Task.status`, `Role.ROLE_USER` or `GetTask`. */
  readonly path: string;
  /** What, read after the path. */
  readonly text: string;
  /** A peer of the version before would not understand, or would be refused. */
  readonly breaking: boolean;
}
