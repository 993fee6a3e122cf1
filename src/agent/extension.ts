import type { JsonSchema, SchemaCheck } from "../json/json-schema.js";
import { omitUndefined } from "../json/omit.js";
import { argumentError, assertObject } from "../protocol/argument.js";
import type { CallContext } from "../protocol/call-context.js";
import type { AgentExtension, Metadata } from "../protocol/model.js";

/** What an extension declares (§4.4.4), and the schema of its data. */
export interface ExtensionOptions {
  /** Identifies the extension and its version. An incompatible change needs a new URI (§4.6.3). */
  readonly uri: string;
  /** How the agent uses the extension, for people. */
  readonly description?: string | undefined;
  /** Refuses callers that do not request the extension, by default only their messages. Do not set it for extensions that only add data. */
  readonly required?: boolean | undefined;
  /** Settings, published in the card unchanged. */
  readonly params?: Metadata | undefined;
  /**
   * JSON Schema of the data. The server then validates the data in both directions for callers that requested the
   * extension.
   */
  readonly metadata?: JsonSchema | undefined;
  /** The compiled schema, as `parley codegen` writes it. Without it the server interprets the schema. */
  readonly check?: SchemaCheck | undefined;
  /** Metadata key of the data, when it differs from the URI: the URI, followed by `/`, `#`, `?` or `:` and a name (§4.6.2). */
  readonly key?: string | undefined;
}

/** An object with metadata: a request, message, part, artifact, status or artifact update. */
export interface MetadataHolder {
  readonly metadata?: Metadata;
}

/** An object that lists the extensions it uses: a message or an artifact. */
export interface ExtensionUser extends MetadataHolder {
  readonly extensions?: readonly string[];
}

/** An extension that an agent supports. `T` is the type of its data. */
export interface Extension<T = unknown> {
  /** Identifies the extension and its version. */
  readonly uri: string;
  /** The entry of the extension in the card. */
  readonly declaration: AgentExtension;
  /** JSON Schema of the data; undefined when the data is not validated. */
  readonly schema: JsonSchema | undefined;
  /** The compiled schema; undefined if there is none. The server then interprets {@link Extension.schema}, if that is set. */
  readonly check: SchemaCheck | undefined;
  /** Whether the caller requested the extension. Otherwise the server does not validate its data, and the agent should send none. */
  isActive(call: Pick<CallContext, "extensions">): boolean;
  /** Whether a metadata key belongs to the extension: that of its options; without one, the URI, also followed by one of `/#?:`. */
  owns(key: string): boolean;
  /**
   * Reads its data from a message, task or other object; undefined when there is none. It does not validate the data: the server has done
   * so for a request if the extension is active and has a schema.
   */
  read(holder: MetadataHolder): T | undefined;
  /** Metadata that contains the data: `{ [uri]: value }`, or `{ [key]: value }` if the options of the extension have a key. */
  write(value: T): Metadata;
  /** Returns a message, draft or artifact with the data added and the URI in its list of extensions (§4.6.2). */
  attach<Holder extends object>(holder: Holder & ExtensionUser, value: T): Holder;
}

/** Characters that may follow the URI in a longer key, so that `…/v1` does not claim the data of `…/v10`. */
const SEPARATORS = "/#?:";

/**
 * Defines an extension of the protocol (§4.6). Pass it to `defineAgent`; it is off for callers that do not request it.
 *
 * @example
 * ```ts
 * const priority = defineExtension<{ level: number }>({
 *   uri: "https://example.com/extensions/priority/v1",
 *   metadata: { type: "object", required: ["level"], properties: { level: { type: "integer" } } },
 * });
 * // in an executor
 * const level = priority.isActive(call) ? priority.read(message)?.level : undefined;
 * ```
 * @throws TypeError when the options are not an object; when the URI is not a string, is empty, or contains a comma or white space; and
 *   when the key does not begin with it as {@link ExtensionOptions.key} says
 */
export function defineExtension<T = unknown>(options: ExtensionOptions): Extension<T> {
  const needs = 'defineExtension needs { uri }, such as "https://example.com/extensions/citations/v1"';
  assertObject(options, needs);
  const { uri, metadata: schema, check, key, ...described } = options;
  if (typeof uri !== "string") throw argumentError(`${needs}: uri must be a string`, uri);
  if (uri === "" || /[,\s]/.test(uri)) {
    throw new TypeError(
      `The URI of an extension must not be empty or contain a comma or white space: ${JSON.stringify(uri)}`,
    );
  }
  if (key !== undefined && !isBelow(uri, key)) {
    throw new TypeError(
      `The key of an extension must be its URI ${uri}, or begin with it and one of / # ? :, not ${JSON.stringify(key)}`,
    );
  }
  const owns = (name: string) => (key === undefined ? isBelow(uri, name) : name === key);
  const write = (value: T) => ({ [key ?? uri]: value });
  return Object.freeze<Extension<T>>({
    uri,
    declaration: Object.freeze({ uri, ...omitUndefined(described) }),
    schema,
    check,
    isActive: ({ extensions }) => extensions.has(uri),
    owns,
    read({ metadata = {} }) {
      const name = Object.hasOwn(metadata, uri) && owns(uri) ? uri : Object.keys(metadata).find(owns);
      return name === undefined ? undefined : (metadata[name] as T);
    },
    write,
    attach: (holder, value) => ({
      ...holder,
      metadata: { ...holder.metadata, ...write(value) },
      extensions: [...new Set([...(holder.extensions ?? []), uri])],
    }),
  });
}

function isBelow(uri: string, key: string): boolean {
  return key === uri || (key.startsWith(uri) && SEPARATORS.includes(key.charAt(uri.length)));
}
