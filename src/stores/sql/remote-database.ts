/** A value in a statement. A database without lists gets them as JSON. */
export type Value = string | number | boolean | null | readonly (string | number)[];

/** Runs the statements that the stores of databases on a server share. */
export interface RemoteDatabase {
  /**
   * Runs a statement that is safe to run twice. Waits for an unavailable server.
   * @param text the statement, with the parameters `$1`, `$2` and so on
   * @throws the error of the database, or of the connection to it
   */
  query<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** As {@link query}, but without a second attempt. */
  once<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;

  /** As {@link query}, for the statements of a sweep, which may take longer. */
  inBackground<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
}

/** What differs between the statements of two databases. */
export interface SqlDialect {
  /** SQL for the time in milliseconds since 1970: the value of the parameter, or the clock of the database if it is null. */
  timeIn(parameter: `$${number}`): string;

  /** SQL for a column with JSON as it was written, under the name of the column. */
  textOf(column: string): string;
}
