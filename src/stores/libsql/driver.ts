import { missingPackage } from "../../async/optional-package.js";

/**
 * Loads the driver of libSQL over HTTP when a database is opened. It is imported rather than required, so that bundlers include it.
 * @throws Error that says what to install, if the package is missing; any other error of loading it
 */
export async function libsqlDriver() {
  try {
    return await import("@libsql/client/http");
  } catch (error) {
    throw missingPackage(error, "@libsql/client", "LibsqlStore");
  }
}
