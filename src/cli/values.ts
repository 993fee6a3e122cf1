import { usage } from "./failure.js";
import type { Option } from "./options.js";

/** A value and its source, as `config show` prints it. */
export interface Setting {
  readonly values: readonly string[];
  /** `flag`, the name of the environment variable, the path of a file, or `default`. */
  readonly source: string;
}

/** A source of values, by names of environment variables. */
export interface ValueSource {
  /** Name of the source; undefined for the environment, where the variable is named. */
  readonly path?: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Environment variable of an option: `--agent-card` is A2ACLI_AGENT_CARD. */
function variableOf(option: Option): string {
  return `A2ACLI_${option.name.toUpperCase().replaceAll("-", "_")}`;
}

const ON = ["1", "true", "yes", "on"];
const OFF = ["0", "false", "no", "off"];

/**
 * The options of one call. Flags take precedence over the environment, the environment over files, and files over defaults.
 */
export class Values {
  readonly #options: ReadonlyMap<string, Option>;
  readonly #flags: ReadonlyMap<string, readonly string[]>;
  readonly #sources: readonly ValueSource[];

  /** @param sources in the order of precedence */
  constructor(
    options: readonly Option[],
    flags: ReadonlyMap<string, readonly string[]>,
    sources: readonly ValueSource[],
  ) {
    this.#options = new Map(options.map((option) => [option.name, option]));
    this.#flags = flags;
    this.#sources = sources;
  }

  /** The current value of an option and its source; undefined if it is not set. */
  setting(name: string): Setting | undefined {
    const flag = this.#flags.get(name);
    if (flag !== undefined) return { values: flag, source: "flag" };
    const option = this.#options.get(name);
    if (option === undefined) return undefined;
    if (option.explicit !== true) {
      const variable = variableOf(option);
      for (const { path, variables } of this.#sources) {
        const text = variables[variable];
        if (text === undefined || text === "") continue;
        const values = option.many ? text.split(",").map((word) => word.trim()) : [text];
        return { values, source: path ?? variable };
      }
    }
    return option.fallback === undefined ? undefined : { values: [option.fallback], source: "default" };
  }

  /** The value of an option. */
  text(name: string): string | undefined {
    return this.setting(name)?.values.at(-1);
  }

  /** All values of a repeatable option. */
  texts(name: string): readonly string[] {
    return this.setting(name)?.values ?? [];
  }

  /** Whether an option is on the command line. */
  isGiven(name: string): boolean {
    return this.#flags.has(name);
  }

  /** Whether a switch is on. */
  isOn(name: string): boolean {
    const setting = this.setting(name);
    const word = setting?.values.at(-1)?.toLowerCase();
    if (setting === undefined || word === undefined) return false;
    if (!ON.includes(word) && !OFF.includes(word))
      throw usage(`${setting.source}: "${word}" is not on or off`);
    return ON.includes(word);
  }

  /** A whole number of at least `least`. */
  count(name: string, least = 0): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (!Number.isInteger(number) || number < least)
      throw usage(`--${name} takes a whole number of at least ${least}, not "${text}"`);
    return number;
  }

  /** A duration in seconds: `500ms`, `2s`, `5m`, `1h`, or seconds. */
  seconds(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
    if (digits === undefined)
      throw usage(`--${name} takes a duration such as 500ms, 2s or 5m, not "${text}"`);
    return Number(digits) * (UNITS[unit] ?? 1);
  }

  /** A JSON object. */
  object(name: string): { [key: string]: unknown } | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = parsed(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw usage(`--${name} takes a JSON object such as '{"key":"value"}'`);
    return value as { [key: string]: unknown };
  }

  /** Values that must not be shown. */
  secrets(): readonly string[] {
    return [...this.#options.values()].filter(({ secret }) => secret).flatMap(({ name }) => this.texts(name));
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
