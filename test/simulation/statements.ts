import Libsql from "libsql";

/** Looks at a statement before it is carried out, and throws to prevent that. */
type Check = (sql: string) => void;

const checks = new WeakMap<Libsql.Database, Check>();
let opened: Libsql.Database[] | undefined;

const { prepare } = Libsql.prototype;

/** Every statement of every connection asks the check of its connection first, if it has one. */
Reflect.set(Libsql.prototype, "prepare", function (this: Libsql.Database, sql: string, ...more: []) {
  opened?.push(this);
  const statement = prepare.call(this, sql, ...more);
  for (const name of ["run", "get", "all"] as const) {
    const carryOut = statement[name];
    Reflect.set(statement, name, (...values: unknown[]) => {
      checks.get(this)?.(sql);
      return Reflect.apply(carryOut, statement, values);
    });
  }
  return statement;
});

/** Opens something, and has the statements of its connections looked at from then on. */
export function openWatched<Opened>(check: Check, open: () => Opened): Opened {
  opened = [];
  try {
    return open();
  } finally {
    for (const connection of opened) checks.set(connection, check);
    opened = undefined;
  }
}

/** What a database says that cannot write. */
export function databaseFault(): Error {
  return new Libsql.SqliteError("database or disk is full", "SQLITE_FULL", 13);
}
