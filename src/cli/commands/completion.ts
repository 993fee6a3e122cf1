import type { Command } from "../command.js";
import { completionScript, isShell, shells } from "../completion.js";
import { usage } from "../failure.js";

/** `parley completion`. */
export const completion: Command = {
  path: ["completion"],
  summary: "Print the script that makes a shell complete commands and options",
  args: [{ name: "shell", help: "bash, zsh or fish" }],
  options: [],
  examples: ["source <(parley completion bash)", "parley completion fish | source"],
  async run({ words, commands, output }) {
    const [shell = ""] = words;
    if (!isShell(shell)) throw usage(`There are no completions for "${shell}"`, shells().join(", "));
    output.raw(completionScript(shell, commands));
  },
};
