import process from "node:process";
import { hosts } from "../hosts.js";

/** A host of Node, whose name is the argument, in a process of its own: prints the port that it listens on. */
const [, , name = ""] = process.argv;
const { url } = (await hosts[name]?.(process.env as Record<string, string>)) ?? { url: "" };
process.stdout.write(`listening ${new URL(url).port}\n`);
