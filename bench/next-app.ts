import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildNextApp } from "../test/hosts/next-app.js";
import { bundleFile, folder, installPrograms, programOf } from "../test/hosts/programs.js";

/** Folder of the application of Next.js that is measured. */
export const nextApp = join(folder, "next", "bench");

/**
 * Builds that application, for which Next.js is installed from the npm registry if it is missing.
 * @returns false if Next.js could not be installed
 */
export async function prepareNextApp(): Promise<boolean> {
  installPrograms(["next"]);
  const program = programOf("next");
  if (program === undefined) return false;
  const routes = fileURLToPath(new URL("targets/next-routes.ts", import.meta.url));
  await bundleFile(routes, "node", join(nextApp, "routes.mjs"));
  await buildNextApp(program, nextApp, {
    "agent/[[...path]]":
      'import { agentHandlers } from "../../../routes.mjs";\nexport const { GET, POST, DELETE } = agentHandlers;\n',
    plain: 'export { POST } from "../../routes.mjs";\n',
  });
  return true;
}
