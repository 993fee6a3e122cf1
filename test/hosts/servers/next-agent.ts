import process from "node:process";
import { nextHandlers } from "a2a-parley/next";
import { probeFor } from "./probe.js";

const { agent, options } = probeFor(process.env);

/** The handlers that the route of the application exports. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(agent, options);
