import type { TargetOptions } from "../targets/control.js";

/** A store to measure, of this or another package. */
export interface Subject {
  readonly name: string;
  /** Chunks of the long artifact; fewer for a store in which each costs as much as all before it. */
  readonly chunks: number;
  open(): Promise<OpenSubject>;
  /** A database for a server in its own process; undefined if a server with this store is not measured. */
  serve?(): Promise<ServedStore>;
}

/** An empty database for a server. */
export interface ServedStore {
  readonly options: TargetOptions;
  remove(): void;
}

/** An empty store. */
export interface OpenSubject {
  /** Creates a task. */
  create(id: string): Promise<void>;
  /** Adds an event to a task: a chunk of its artifact. */
  append(id: string, text: string): Promise<void>;
  /** Creates a task that ended at a time. */
  put(id: string, timestamp: string): Promise<void>;
  /** Creates many ended tasks, from `task-<from>` to before `task-<to>`, one second apart; without it they are put one by one. */
  fill?(from: number, to: number): Promise<void>;
  /** Lists a page of 50, from the beginning or after a time. Returns the total number of tasks. */
  list(behind?: string): Promise<number>;
  /** Bytes on disk; undefined for a store in memory. */
  bytes?(): Promise<number>;
  close(): Promise<void>;
}
