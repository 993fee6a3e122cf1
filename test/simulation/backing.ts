import type { Host } from "./host.js";
import type { NodeStore } from "./node.js";

/** Nothing is compacted while a simulation looks at it. */
export const FOREVER = 10 ** 9;

/** Where the nodes of a simulation keep everything. */
export interface Backing {
  /** Whether the store is a part of its process: then a call ends with it, and one that was sent is not on its way. */
  readonly isEmbedded: boolean;
  /** Whether the store always knows what came of its calls: a database far away may not get its answers through. */
  readonly isSure: boolean;
  /** The store of a process. */
  open(host: Host): NodeStore | Promise<NodeStore>;
  /** Resolves when nothing more follows from what has happened. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}
