import type { Server } from "node:net";

/** A server of Node, with methods that stop it. */
export interface Listener {
  readonly server: Server;
  /** Accepts no new connections. Open ones may end. */
  stop(): void;
  /** Closes every connection. */
  cut(): void;
}
