import type { ServerVersion } from "a2a-parley/server";
/** Settings of the probe agent, from environment variables. */
export interface Settings {
  readonly port: number;
  /** URL that callers use, such as that of a proxy; the agent's own address if empty. */
  readonly publicUrl: string | undefined;
  /** What the library serves by itself when undefined. */
  readonly versions: readonly ServerVersion[] | undefined;
  readonly bindings: readonly string[];
  readonly streaming: boolean;
  readonly push: boolean;
  readonly extendedCard: string;
  readonly requiredExtension: string | undefined;
  readonly auth: string;
  readonly store: string;
  readonly storeDelay: number;
  readonly allowPrivateWebhooks: boolean;
  readonly maxBody: number | undefined;
  /** JSON file with a script: behaviour by the text of the message. It takes precedence over everything else. */
  readonly script: string | undefined;
}

/**
 * Reads the settings.
 * @throws Error that names the variable with an invalid value
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const word = (name: string, fallback: string, allowed: readonly string[]) => {
    const value = env[name] || fallback;
    if (!allowed.includes(value)) throw new Error(`${name}=${value}: expected one of ${allowed.join(", ")}`);
    return value;
  };
  const count = (name: string, fallback: number) => {
    const value = Number(env[name] || fallback);
    if (!Number.isInteger(value) || value < 0)
      throw new Error(`${name}=${env[name]}: expected a whole number`);
    return value;
  };
  const store = (value: string) => {
    if (!/^(memory$|sqlite:.|(postgres:)?postgres(ql)?:\/\/)/.test(value))
      throw new Error(`STORE=${value}: expected memory, sqlite:<file> or postgres:<url>`);
    return value;
  };
  return {
    port: count("PORT", 41241),
    publicUrl: env.PUBLIC_URL || undefined,
    versions: env.VERSIONS ? versionsIn(env.VERSIONS) : undefined,
    bindings: (env.BINDINGS || "JSONRPC,HTTP+JSON").split(",").map((binding) => binding.trim()),
    streaming: word("STREAMING", "on", ["on", "off"]) === "on",
    push: word("PUSH", "on", ["on", "off"]) === "on",
    extendedCard: word("EXTENDED_CARD", "on", ["on", "auth", "unconfigured", "off"]),
    requiredExtension: env.REQUIRED_EXTENSION || undefined,
    auth: word("AUTH", "none", ["none", "bearer", "api-key"]),
    store: store(env.STORE || "memory"),
    storeDelay: count("STORE_DELAY_MS", 0),
    allowPrivateWebhooks: word("ALLOW_PRIVATE_WEBHOOKS", "off", ["on", "off"]) === "on",
    maxBody: env.MAX_BODY_BYTES ? count("MAX_BODY_BYTES", 0) : undefined,
    script: env.SCRIPT || undefined,
  };
}

/** The versions in a list; the server refuses unknown ones. Version 0.1 includes its dialect. */
function versionsIn(list: string): ServerVersion[] {
  const versions = list.split(",").map((version) => version.trim() as ServerVersion);
  return versions.includes("0.1") ? [...versions, "0.1-flat"] : versions;
}
