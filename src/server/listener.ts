import type { Server } from "node:net";

/** A server of Node and how it is stopped. */
export interface Listener {
  readonly server: Server;
  /** Takes no new connections, and lets those that are open end. */
  stop(): void;
  /** Closes every connection. */
  cut(): void;
}
