import pg from "pg";

/** Carries a statement out, or throws in its place. */
type Watch = <Answer>(sql: string, carryOut: () => Promise<Answer>) => Promise<Answer>;

const watches = new Map<string, Watch>();

/** Clients of pg, as far as this has to know them. */
interface Named {
  readonly connectionParameters: { readonly application_name?: string };
}

const query = Reflect.get(pg.Client.prototype, "query") as (...args: unknown[]) => unknown;

/** Every statement of every connection goes through the watch that its application has, if it has one. */
Reflect.set(pg.Client.prototype, "query", function (this: pg.Client & Named, ...args: unknown[]): unknown {
  const watch = watches.get(this.connectionParameters.application_name ?? "");
  if (watch === undefined) return Reflect.apply(query, this, args);
  const [statement] = args as [string | { readonly text: string }];
  const callback = args.find((one) => typeof one === "function") as
    | ((...given: unknown[]) => void)
    | undefined;
  const own = args.filter((one) => one !== callback && one !== undefined);
  const sql = typeof statement === "string" ? statement : statement.text;
  const answer = watch(sql, async () => Reflect.apply(query, this, own));
  if (callback === undefined) return answer;
  answer.then(
    (result) => callback(undefined, result),
    (error: unknown) => callback(error),
  );
  return undefined;
});

/** Has the statements of an application looked at from now on; without one, nobody's any more. */
export function watchStatements(application?: string, watch?: Watch): void {
  if (application !== undefined && watch !== undefined) watches.set(application, watch);
  else watches.clear();
}

/** What is known when a connection breaks: nothing. */
export function connectionFault(): Error {
  return new Error("Connection terminated unexpectedly");
}
