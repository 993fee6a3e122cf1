import { join } from "node:path";
import { root } from "./root.js";

/**
 * What to give Node so that it runs a program of this repository as a process of its own.
 * @param file path below the root
 */
export function program(file: string): string[] {
  return ["--import", "tsx", join(root, file)];
}
