import type { JsonSchema, SchemaCheck } from "../json/json-schema.js";
import type { CallContext } from "../protocol/call-context.js";
import type { AgentExtension } from "../protocol/model.js";
import type { Metadata } from "./updates.js";

/** What an extension says of itself (§4.4.4), and the shape of its data. */
export interface ExtensionOptions {
  /** Identifies the extension and its version: what breaks its users gets a new one (§4.6.3). */
  readonly uri: string;
  /** How the agent uses it, for people. */
  readonly description?: string;
  /** Refuse sends that do not ask for it. Not for extensions that only add data. */
  readonly required?: boolean;
  /** Settings, shown in the card as they are. */
  readonly params?: Metadata;
  /** Schema of its data. With it, data of a caller who asked for the extension is checked on the way in and out. */
  readonly metadata?: JsonSchema;
  /** The schema compiled, as `parley codegen` writes it; without it the server compiles the schema when it starts. */
  readonly check?: SchemaCheck;
  /** Key of its data, when that is longer than the URI: it begins with the URI (§4.6.2). */
  readonly key?: string;
}

/** Something with metadata: a request, message, part, artifact, status or artifact update. */
export interface MetadataHolder {
  readonly metadata?: Metadata;
}

/** Something that says which extensions it makes use of: a message or an artifact. */
export interface ExtensionUser extends MetadataHolder {
  readonly extensions?: readonly string[];
}

/** An extension that an agent offers. `T` is the type of its data. */
export interface Extension<T = unknown> {
  readonly uri: string;
  /** Its entry in the card. */
  readonly declaration: AgentExtension;
  readonly schema: JsonSchema | undefined;
  /** The schema compiled; undefined when that is left to the server. */
  readonly check: SchemaCheck | undefined;
  /** Whether the caller asked for it. While it did not, the extension is off: its data is neither checked nor sent. */
  isActive(call: Pick<CallContext, "extensions">): boolean;
  /** Whether a metadata key holds its data: the key that was chosen, or else the URI and what lies below it. */
  owns(key: string): boolean;
  /** Its data in what the caller sent, or in a task; undefined when there is none. Checked only if it is active. */
  read(holder: MetadataHolder): T | undefined;
  /** Metadata with its data: `{ [uri]: value }`. */
  write(value: T): Metadata;
  /** A message, draft or artifact with its data added, and its URI in the list of those in use (§4.6.2). */
  attach<Holder extends object>(holder: Holder & ExtensionUser, value: T): Holder;
}

/** What may stand between the URI and the rest of a longer key, so that `…/v1` does not take the data of `…/v10`. */
const SEPARATORS = "/#?:";

/**
 * Defines an extension of the protocol. Give it to `defineAgent`; it is off for every caller who does not ask for it.
 *
 * @example
 * const priority = defineExtension<{ level: number }>({
 *   uri: "https://example.com/extensions/priority/v1",
 *   metadata: { type: "object", required: ["level"], properties: { level: { type: "integer" } } },
 * });
 * // in an executor
 * const level = priority.isActive(call) ? priority.read(message)?.level : undefined;
 *
 * @throws TypeError when the URI could not be asked for in a header, or the key does not begin with it
 */
export function defineExtension<T = unknown>(options: ExtensionOptions): Extension<T> {
  const { uri, metadata: schema, check, key, ...described } = options;
  if (uri === "" || /[,\s]/.test(uri)) {
    throw new TypeError(
      `The URI of an extension is not empty and has no comma or space: ${JSON.stringify(uri)}`,
    );
  }
  if (key !== undefined && !isBelow(uri, key)) {
    throw new TypeError(`The key of an extension begins with its URI ${uri}: ${JSON.stringify(key)}`);
  }
  const owns = (name: string) => (key === undefined ? isBelow(uri, name) : name === key);
  const write = (value: T) => ({ [key ?? uri]: value });
  return Object.freeze<Extension<T>>({
    uri,
    declaration: Object.freeze({ uri, ...described }),
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
