import { nearestName } from "../../json/unknown-name.js";
import { type Command, type CommandCall, nameOf } from "../command.js";
import { failureOf } from "../failure.js";
import { LoginFile } from "../login-file.js";
import { callOptions, globalOptions, type Option, pollInterval } from "../options.js";
import { type Values, variableOf } from "../values.js";

/** Settings of every command that calls an agent. Other settings are shown with their command. */
const common = [...globalOptions, ...callOptions, pollInterval];

/** `parley config show`: the current settings and their sources. */
export const configShow: Command = {
  path: ["config", "show"],
  summary: "Show the current settings and their sources",
  args: [],
  options: [...callOptions, pollInterval],
  examples: ["parley config show", "parley config show --config other.env -o json"],
  showsFaults: true,
  async run(call) {
    const { values, output, notes, io } = call;
    const settings = settingsOf(call);
    for (const text of faults(call)) notes.warn(text);
    const logins = new LoginFile(io).read().map(({ agent, scheme }) => ({ agent, scheme }));
    output.print({ settings, files: values.files, logins }, (page) => {
      for (const { name, command, value, source } of settings) {
        const label = command === null ? name : `${name} of ${command}`;
        page.field(label, `${value ?? "-"} (${source})`);
      }
      for (const path of values.files) page.field("Settings file", path);
      for (const { agent, scheme } of logins) page.field("Login", `${agent} (${scheme})`);
    });
  },
};

/** A current setting. */
interface Row {
  readonly name: string;
  /** The command that reads the setting; null for a setting of every command that calls an agent. */
  readonly command: string | null;
  readonly variable: string;
  /** Its value, or in words what applies without one; null if nothing does. Secrets are redacted. */
  readonly value: string | null;
  /** `flag`, a variable, the path of a file, `default` or `unset`. */
  readonly source: string;
}

function settingsOf({ commands, values }: CommandCall): readonly Row[] {
  const shared = new Set(common.map(({ name }) => name));
  return [
    ...common.filter(isSetting).map((option) => rowOf(option, values, null)),
    ...commands.flatMap((command) => {
      const own = command.options.filter((option) => isSetting(option) && !shared.has(option.name));
      return own.map((option) => rowOf(option, values.with(own), nameOf(command)));
    }),
  ];
}

/** Whether an option can be set outside the command line. */
function isSetting({ explicit }: Option): boolean {
  return explicit !== true;
}

function rowOf(option: Option, values: Values, command: string | null): Row {
  const { name, secret, many, takes, otherwise } = option;
  const row = { name, command, variable: variableOf(option) };
  const setting = values.setting(name);
  if (setting !== undefined) {
    const text = many ? setting.values.join(",") : (setting.values.at(-1) ?? "");
    return { ...row, value: secret ? "[redacted]" : text, source: setting.source };
  }
  const implied = takes === undefined ? "false" : otherwise;
  return { ...row, value: implied ?? null, source: implied === undefined ? "unset" : "default" };
}

/** Switches, numbers, durations, JSON objects and output formats that are not valid, and variables that no command reads. */
function faults({ commands, values }: CommandCall): readonly string[] {
  const options = [...common, ...commands.flatMap((command) => command.options)].filter(isSetting);
  const known = new Map(options.map((option) => [variableOf(option), option]));
  const texts = [...known.values()].flatMap((option) => {
    try {
      values.with([option]).check(option);
      return [];
    } catch (error) {
      return failureOf(error, { hasCredentials: false }).message;
    }
  });
  const strange = values.variables.filter(({ name }) => !known.has(name));
  return [
    ...texts,
    ...strange.map(({ name, source }) => {
      const meant = nearestName(name, [...known.keys()]);
      return `no command reads ${name}, from ${source}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    }),
  ];
}
