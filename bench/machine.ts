import { availableParallelism, cpus, platform } from "node:os";

/** What is measured on, in words. */
export function machine(): string {
  const [cpu] = cpus();
  return `Node ${process.versions.node}, ${platform()}, ${availableParallelism()} cores (${cpu?.model.trim()})`;
}
