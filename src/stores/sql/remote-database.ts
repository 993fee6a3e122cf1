/** A value in a statement. A database without lists gets them as JSON. */
export type Value = string | number | boolean | null | readonly (string | number)[];

/** Runs the statements of a store on a database server. */
export interface RemoteDatabase {
  /**
   * Runs a statement that is safe to run twice. Repeats it for about half a minute while the server is unavailable, or after a conflict
   * with another transaction.
   * @param text the statement, with the parameters `$1`, `$2` and so on
   * @throws the error of the database, or of the connection to it
   */
  query<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** As {@link query}, but does not repeat the statement in these cases, so that it need not be safe to run twice. */
  once<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** As {@link query}, but with a higher time limit, for the statements of a sweep. */
  inBackground<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
}

/** Expressions that differ between databases. */
export interface SqlDialect {
  /** SQL for the time in milliseconds since 1970: the value of the parameter, or the clock of the database if it is null. */
  timeIn(parameter: `$${number}`): string;

  /** SQL that selects a column with JSON as the text that was written, under the name of the column. */
  textOf(column: string): string;
}
