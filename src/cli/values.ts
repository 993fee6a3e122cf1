import { tryParseJson } from "../json/json-text.js";
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
  /** Path of the file; undefined for the environment. */
  readonly path?: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Environment variable of an option: `--agent-card` is A2ACLI_AGENT_CARD. */
export function variableOf({ name }: Pick<Option, "name">): string {
  return `A2ACLI_${name.toUpperCase().replaceAll("-", "_")}`;
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

  /** The options of other commands, with the same flags and sources. */
  with(options: readonly Option[]): Values {
    return new Values(options, this.#flags, this.#sources);
  }

  /** Paths of the files that were read for settings, in the order of precedence. */
  get files(): readonly string[] {
    return this.#sources.flatMap(({ path }) => path ?? []);
  }

  /** Names of the environment variables of this tool that are set, and where. */
  get variables(): readonly { readonly name: string; readonly source: string }[] {
    return this.#sources.flatMap(({ path, variables }) =>
      Object.keys(variables)
        .filter((name) => name.startsWith("A2ACLI_") && variables[name])
        .map((name) => ({ name, source: path ?? "the environment" })),
    );
  }

  /**
   * Checks the value of an option against its kind.
   * @throws Failure for an invalid value
   */
  check({ name, takes, choices }: Option): void {
    const text = this.text(name);
    if (text === undefined) return;
    if (takes === undefined) this.isOn(name);
    else if (takes === "duration") this.seconds(name);
    else if (takes === "n") this.count(name);
    else if (takes === "json") this.object(name);
    else if (choices !== undefined && takes === choices.join("|") && !choices.includes(text))
      throw usage(`${this.#where(name)} takes ${choices.join(" or ")}, not "${text}"`);
  }

  /** The place of a value, for errors: the flag, or the variable and its file. */
  #where(name: string): string {
    const source = this.setting(name)?.source;
    if (source === undefined || source === "flag" || source === "default") return `--${name}`;
    const variable = variableOf({ name });
    return source === variable ? variable : `${variable} in ${source}`;
  }

  /** The value of an option, the last one if it is given several times; undefined without one. */
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

  /** Whether a switch is on. @throws Failure for a value that is not true or false */
  isOn(name: string): boolean {
    const setting = this.setting(name);
    const word = setting?.values.at(-1)?.toLowerCase();
    if (setting === undefined || word === undefined) return false;
    if (!ON.includes(word) && !OFF.includes(word))
      throw usage(`${this.#where(name)} takes true or false, not "${word}"`);
    return ON.includes(word);
  }

  /** An integer of at least `least`; undefined without a value. @throws Failure for another value */
  count(name: string, least = 0): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (!Number.isInteger(number) || number < least)
      throw usage(`${this.#where(name)} takes an integer of at least ${least}, not "${text}"`);
    return number;
  }

  /** A duration above 0 in seconds, from `500ms`, `2s`, `5m`, `1h`, or a number of seconds. @throws Failure for another value */
  seconds(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
    const seconds = Number(digits) * (UNITS[unit] ?? 1);
    if (digits === undefined || seconds === 0)
      throw usage(`${this.#where(name)} takes a duration such as 500ms, 2s or 5m, not "${text}"`);
    return seconds;
  }

  /** A JSON object. @throws Failure for another value */
  object(name: string): { [key: string]: unknown } | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = tryParseJson(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw usage(`${this.#where(name)} takes a JSON object such as '{"key":"value"}'`);
    return value as { [key: string]: unknown };
  }

  /** The values of secret options, to be redacted. */
  secrets(): readonly string[] {
    return [...this.#options.values()].filter(({ secret }) => secret).flatMap(({ name }) => this.texts(name));
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
