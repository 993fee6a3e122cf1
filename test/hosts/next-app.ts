import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { folder, written } from "./programs.js";

/**
 * Builds an application of Next.js.
 * @param program the executable of Next.js
 * @param place folder of the application, in the folder of Next.js or below it
 * @param routes source text of the route handlers by path
 * @throws Error if Next.js cannot build it
 */
export async function buildNextApp(
  program: string,
  place: string,
  routes: Readonly<Record<string, string>>,
): Promise<void> {
  const turbopack = `{ root: ${JSON.stringify(join(folder, "next"))} }`;
  written(
    join(place, "next.config.mjs"),
    `export default { agentRules: false, skipTrailingSlashRedirect: true, turbopack: ${turbopack} };\n`,
  );
  for (const [path, text] of Object.entries(routes)) written(join(place, "app", path, "route.js"), text);
  written(join(place, "app", "layout.js"), "export default ({ children }) => children;\n");
  const child = spawn(process.execPath, [program, "build"], {
    cwd: place,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("Next could not build its application");
}
