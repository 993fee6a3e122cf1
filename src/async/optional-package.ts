/** What says that a package is not there: `import`, then `require`. */
const CODES: readonly unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/**
 * Replaces the error for an optional package that is not installed by one that says what to install. Any other error, such as that of a
 * package which the optional one lacks, is returned unchanged.
 *
 * @param thrown what loading the package threw
 * @param user what needs the package
 */
export function missingPackage(thrown: unknown, name: string, user: string): unknown {
  if (!(thrown instanceof Error) || !CODES.includes((thrown as NodeJS.ErrnoException).code)) return thrown;
  if (!thrown.message.includes(`'${name}'`)) return thrown;
  return new Error(`${user} needs the package ${name}: npm install ${name}`, { cause: thrown });
}
