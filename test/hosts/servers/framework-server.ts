import process from "node:process";
import { frameworks } from "../../support/frameworks.js";
import { AT, probeFor } from "./probe.js";

/** The agent in an application of a framework, whose name is the argument, on a runtime that is not Node: prints the port that it listens on. */
const [, , name = ""] = process.argv;
const { agent, options } = probeFor(process.env as Record<string, string>);
const app = await frameworks[name]?.(agent, options, { at: AT });
process.stdout.write(`listening ${app?.port}\n`);
