/** An error whose members throw when they are read. */
function unreadable(): Error {
  const error = new Error("x");
  const get = () => {
    throw new Error("read");
  };
  for (const name of ["message", "name", "stack", "cause", "code"]) {
    Object.defineProperty(error, name, { get, enumerable: true, configurable: true });
  }
  return error;
}

const refuse = (): never => {
  throw new Error("trapped");
};

/** Throws whatever is done with it. */
const trap: unknown = new Proxy(
  {},
  { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse },
);

/** Looks like an error of this package made elsewhere, until it is read. */
function forged(): object {
  const brand = Symbol.for("a2a-parley.error");
  return Object.defineProperty({ [brand]: true, code: "UNAUTHENTICATED" }, "message", { get: refuse });
}

const values: Readonly<Record<string, () => unknown>> = {
  "an error": () => new Error("planted"),
  nothing: () => undefined,
  null: () => null,
  "a text": () => "planted",
  "an error that cannot be read": unreadable,
  "a proxy that throws": () => trap,
  "a forged error of the protocol": forged,
};

function thrower(make: () => unknown): () => never {
  return () => {
    throw make();
  };
}

function thenable(then: PropertyDescriptor): object {
  const name = "then";
  return Object.defineProperty({}, name, then);
}

/** The ways in which a function of an application fails, by name. */
export const failures: Readonly<Record<string, () => unknown>> = Object.fromEntries([
  ...Object.entries(values).map(([name, make]) => [`throws ${name}`, thrower(make)]),
  ...Object.entries(values).map(([name, make]) => [`rejects with ${name}`, async () => thrower(make)()]),
  ["gives a thenable that throws", () => thenable({ value: refuse })],
  ["gives a thenable that cannot be read", () => thenable({ get: refuse })],
]);

/** Never settles. */
export const hangs = (): Promise<never> => new Promise(() => undefined);
