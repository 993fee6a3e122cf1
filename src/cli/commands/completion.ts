import type { Command } from "../command.js";
import { usage } from "../failure.js";
import { globalOptions, type Option } from "../options.js";

/** A shell with completion. */
type Shell = keyof typeof scripts;

/** The completion script for a shell, derived from the table of commands. */
function completionScript(shell: Shell, commands: readonly Command[]): string {
  return scripts[shell](commands);
}

/** Whether a shell has completion. */
function isShell(word: string): word is Shell {
  return Object.hasOwn(scripts, word);
}

/** Names of the shells. */
function shells(): readonly string[] {
  return Object.keys(scripts);
}

const scripts = { bash, zsh, fish };

/** The words that can follow each beginning of a command, with their help: `""` has the first words, `task` has `get`, `list` and so on. */
function wordsAfter(commands: readonly Command[]): Map<string, Map<string, string>> {
  const tree = new Map<string, Map<string, string>>();
  for (const { path, summary } of commands) {
    for (const [index, word] of path.entries()) {
      const before = path.slice(0, index).join(" ");
      const next = tree.get(before) ?? new Map<string, string>();
      const isLast = index === path.length - 1;
      next.set(word, isLast ? summary : (next.get(word) ?? `${word} commands`));
      tree.set(before, next);
    }
  }
  return tree;
}

function optionsOf({ options }: Command): readonly Option[] {
  return [...options, ...globalOptions];
}

/** Branches of a shell's `case` with the words that can follow what was typed. */
function cases(commands: readonly Command[]): string[] {
  const following = [...wordsAfter(commands)].map(
    ([before, words]) => `"${before}") next="${[...words.keys()].join(" ")}" ;;`,
  );
  const flags = commands.map((command) => {
    const names = optionsOf(command).map(({ name }) => `--${name}`);
    return `"${command.path.join(" ")}") flags="${names.join(" ")}" ;;`;
  });
  return [
    '    case "$command" in',
    ...following.map((row) => `      ${row}`),
    "    esac",
    '    case "$command" in',
    ...flags.map((row) => `      ${row}`),
    "    esac",
  ];
}

/** Branches of a shell's `case` with the values of options. */
function choices(commands: readonly Command[]): string[] {
  const options = new Map(commands.flatMap(optionsOf).map((option) => [option.name, option]));
  return [...options.values()].flatMap(({ name, short, choices: words }) =>
    words === undefined
      ? []
      : [`      --${name}${short ? `|-${short}` : ""}) next="${words.join(" ")}"; flags="" ;;`],
  );
}

/** The common part of bash and zsh: `$command` holds the typed words of the command's name, `$before` the previous word. */
function common(commands: readonly Command[]): string[] {
  const starts = new Set([...wordsAfter(commands).keys(), ...commands.map(({ path }) => path.join(" "))]);
  return [
    '    local command="" next="" flags="" word',
    `    for word in "\${typed[@]}"; do`,
    `      case "\${command:+$command }$word" in`,
    `        ${[...starts]
      .filter((start) => start !== "")
      .map((start) => `"${start}"`)
      .join("|")}) command="\${command:+$command }$word" ;;`,
    "      esac",
    "    done",
    ...cases(commands),
    '    case "$before" in',
    ...choices(commands),
    "    esac",
  ];
}

function bash(commands: readonly Command[]): string {
  return [
    "# bash: source <(parley completion bash)",
    "_parley() {",
    `    local typed=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") before="\${COMP_WORDS[COMP_CWORD-1]}" now="\${COMP_WORDS[COMP_CWORD]}"`,
    ...common(commands),
    '    [[ "$now" == -* || -z "$next" ]] && next="$flags"',
    '    COMPREPLY=($(compgen -W "$next" -- "$now"))',
    "}",
    "complete -o default -F _parley parley",
    "",
  ].join("\n");
}

function zsh(commands: readonly Command[]): string {
  return [
    "#compdef parley",
    "# zsh: source <(parley completion zsh)",
    "_parley() {",
    `    local -a typed; typed=("\${(@)words[2,CURRENT-1]}")`,
    `    local before="\${words[CURRENT-1]}" now="\${words[CURRENT]}"`,
    "    () {",
    ...common(commands),
    '    [[ "$now" == -* || -z "$next" ]] && next="$flags"',
    `    compadd -- \${(s: :)next}`,
    "    }",
    "    [[ $compstate[nmatches] -gt 0 ]] || _files",
    "}",
    "compdef _parley parley",
    "",
  ].join("\n");
}

function fish(commands: readonly Command[]): string {
  const lines = ["# fish: parley completion fish | source"];
  for (const [before, words] of wordsAfter(commands)) {
    for (const [word, summary] of words)
      lines.push(
        `complete -c parley -f -n '${fishCondition(before, [...words.keys()])}' -a '${word}' -d '${fishText(summary)}'`,
      );
  }
  for (const command of commands) {
    for (const { name, short, takes, help, choices: words } of optionsOf(command)) {
      const value = takes === undefined ? "" : words === undefined ? " -r" : ` -x -a '${words.join(" ")}'`;
      const letter = short === undefined ? "" : ` -s ${short}`;
      lines.push(
        `complete -c parley -n '${fishCondition(command.path.join(" "), [])}' -l ${name}${letter}${value} -d '${fishText(help)}'`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The condition that all of `before` was typed, and none of the words that may follow. */
function fishCondition(before: string, after: readonly string[]): string {
  const seen = before === "" ? [] : before.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const unseen = after.length === 0 ? [] : [`not __fish_seen_subcommand_from ${after.join(" ")}`];
  return [...seen, ...unseen].join("; and ");
}

function fishText(text: string): string {
  return text.replaceAll("'", "\\'");
}

/** `parley completion`: prints a completion script. */
export const completion: Command = {
  path: ["completion"],
  summary: "Print a script with which a shell completes commands and options",
  args: [{ name: "shell", help: "bash, zsh or fish" }],
  options: [],
  examples: ["source <(parley completion bash)", "parley completion fish | source"],
  async run({ words, commands, output }) {
    const [shell = ""] = words;
    if (!isShell(shell)) throw usage(`There is no completion for "${shell}"`, shells().join(", "));
    output.raw(completionScript(shell, commands));
  },
};
