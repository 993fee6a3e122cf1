/**
 * The inspector: a page that shows an agent at work. `parley inspect` opens it; `serve(agent, { inspector: true })` mounts it.
 *
 * @packageDocumentation
 */

export { type InspectOptions, inspect, type RunningInspector } from "./local-server.js";
