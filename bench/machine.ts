import { availableParallelism, cpus, platform } from "node:os";

/** The machine and the version of Node, in words. */
export function machine(): string {
  const [cpu] = cpus();
  return `Node ${process.versions.node}, ${platform()}, ${availableParallelism()} cores (${cpu?.model.trim()})`;
}
