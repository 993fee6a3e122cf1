import type { Command } from "../command.js";
import { callOptions, globalOptions, type Option, pollInterval } from "../options.js";

const shown = [...globalOptions, ...callOptions, pollInterval].filter(({ explicit }) => !explicit);

/** `parley config show`: the current settings and their sources. */
export const configShow: Command = {
  path: ["config", "show"],
  summary: "Show the settings in force, and where each comes from",
  args: [],
  options: [...callOptions, pollInterval],
  async run({ values, output }) {
    const rows = shown.map((option) => {
      const setting = values.setting(option.name);
      const value = setting === undefined ? null : display(option, setting.values);
      return { name: option.name, value, source: setting?.source ?? "unset" };
    });
    output.print({ settings: rows }, (page) => {
      for (const { name, value, source } of rows) page.field(name, `${value ?? "-"} (${source})`);
    });
  },
};

function display({ secret, many }: Option, values: readonly string[]): string {
  if (secret) return "[redacted]";
  return many ? values.join(",") : (values.at(-1) ?? "");
}
