import type { TargetOptions } from "../targets/control.js";

/** A store under measurement, whoever made it. */
export interface Subject {
  readonly name: string;
  /** Chunks of the long artifact; fewer where each costs as much as all before it. */
  readonly chunks: number;
  open(): Promise<OpenSubject>;
  /** A database for a server in a process of its own; undefined when a server with this store is not measured here. */
  serve?(): Promise<ServedStore>;
}

/** An empty database for a server. */
export interface ServedStore {
  readonly options: TargetOptions;
  remove(): void;
}

/** An empty store. */
export interface OpenSubject {
  /** Makes a task. */
  create(id: string): Promise<void>;
  /** Adds an event to a task: a chunk of its artifact. */
  append(id: string, text: string): Promise<void>;
  /** Makes a task that has ended at a time. */
  put(id: string, timestamp: string): Promise<void>;
  /** Makes many of them, `task-<from>` to the one before `task-<to>`, one second apart; without it they are put one by one. */
  fill?(from: number, to: number): Promise<void>;
  /** A page of 50, from the beginning or behind a time; gives how many tasks there are in all. */
  list(behind?: string): Promise<number>;
  /** Bytes on disk, if there is one. */
  bytes?(): Promise<number>;
  close(): Promise<void>;
}
