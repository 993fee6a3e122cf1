/** Error codes of a package that is not installed: of `import`, then of `require`. */
const CODES: readonly unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/**
 * Replaces the error for an optional package that is not installed by one that says what to install. Any other error, such as that of a
 * package that the optional one depends on, is returned unchanged.
 *
 * @param thrown what loading the package threw
 * @param name name of the package
 * @param user what needs the package, such as an entry point
 * @param install what to install, if it is more than the package
 */
export function missingPackage(thrown: unknown, name: string, user: string, install = name): unknown {
  if (!(thrown instanceof Error) || !CODES.includes((thrown as NodeJS.ErrnoException).code)) return thrown;
  if (!thrown.message.includes(`'${name}'`)) return thrown;
  return new Error(`${user} needs the package ${name}: npm install ${install}`, { cause: thrown });
}
