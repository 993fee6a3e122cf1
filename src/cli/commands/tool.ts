import { type Command, nameOf } from "../command.js";
import { usage } from "../failure.js";
import { helpOf, helpOfAll } from "../help.js";
import { packageVersion } from "../package-version.js";

/** `parley version`. */
export const version: Command = {
  path: ["version"],
  summary: "Print the version",
  args: [],
  options: [],
  async run({ output }) {
    output.raw(`${packageVersion()}\n`);
  },
};

/** `parley help`. */
export const help: Command = {
  path: ["help"],
  summary: "Show the commands, or how one is used",
  args: [
    { name: "command", optional: true, help: "First word of the command" },
    { name: "verb", optional: true, help: "Second word of the command" },
    { name: "action", optional: true, help: "Third word of the command" },
  ],
  options: [],
  async run({ commands, words, output, values }) {
    if (words.length === 0) return output.raw(helpOfAll(commands));
    const wanted = words.join(" ");
    const found = commands.filter((command) => `${nameOf(command)} `.startsWith(`${wanted} `));
    const [only] = found;
    if (only === undefined)
      throw usage(`There is no command "${wanted}"`, "`parley help` lists the commands");
    return output.raw(found.length === 1 ? helpOf(only, values) : helpOfAll(found));
  },
};
