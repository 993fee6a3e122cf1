import { ClientError } from "./client-error.js";

/** Headers by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * An extension that the caller supports, and the extensions that it depends on (§4.6).
 *
 * @example
 * ```ts
 * const citations: ClientExtension = {
 *   uri: "https://example.com/extensions/citations/v2",
 *   dependsOn: ["https://example.com/extensions/sources/v1"],
 * };
 * const client = await connect(url, { extensions: [citations] });
 * ```
 */
export interface ClientExtension {
  readonly uri: string;
  /**
   * URIs of the extensions that are requested together with this one. Their own dependencies are not: give such an extension its own entry.
   * The dependencies of entries with the same URI are merged.
   */
  readonly dependsOn?: readonly string[];
}

const VERSION = "A2A-Version";
const EXTENSIONS = "A2A-Extensions";

/** The service parameters of a call that the client sets itself. */
export interface ServiceParameters {
  /** Undefined for a request without a version header. */
  readonly version: string | undefined;
  readonly extensions: ReadonlySet<string>;
  /** Header that lists the extensions; that of the newest version by default. */
  readonly extensionsHeader?: string;
}

/** Matches characters that are not allowed in a header: all but tabs, printable ASCII, and U+0080 to U+00FF (§13.4). */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/;

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Merges headers by case-insensitive name. Later sources win. A value of undefined is ignored, and does not remove a header.
 * @throws ClientError INVALID_OPTION for a name or value with characters that are not allowed in headers. It contains the name, not the
 * value
 */
export function mergeHeaders(...sources: readonly (HeaderFields | undefined)[]): Headers {
  const headers = new Headers();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (value === undefined) continue;
      if (!NAME.test(name)) {
        throw new ClientError("INVALID_OPTION", `${JSON.stringify(name)} is not a valid header name`);
      }
      if (UNSAFE.test(value)) {
        throw new ClientError(
          "INVALID_OPTION",
          `The value of the header ${name} has characters that are not allowed in headers`,
        );
      }
      headers.set(name, value);
    }
  }
  return headers;
}

/**
 * Sets the headers for version and extensions (§3.2.6). The version replaces the caller's header, which is removed if there is no version.
 * The extensions are added to those that the caller has set in `A2A-Extensions` or in the header `extensionsHeader`, in which all are sent.
 */
export function setServiceParameters(
  headers: Headers,
  { version, extensions, extensionsHeader = EXTENSIONS }: ServiceParameters,
): void {
  if (version === undefined) headers.delete(VERSION);
  else headers.set(VERSION, version);
  const set = `${headers.get(EXTENSIONS) ?? ""},${headers.get(extensionsHeader) ?? ""}`;
  const fromCaller = set.split(",").map((uri) => uri.trim());
  const all = new Set([...fromCaller, ...extensions].filter((uri) => uri !== ""));
  headers.delete(EXTENSIONS);
  if (all.size > 0) headers.set(extensionsHeader, [...all].join(","));
}

/**
 * URIs of the extensions to request: those of the client with their dependencies, and those of the call.
 * @param known extensions of the client
 * @param more extensions of the call
 * @throws ClientError INVALID_OPTION for a URI that a header cannot list
 */
export function extensionsToRequest(
  known: readonly (string | ClientExtension)[],
  more: readonly string[] = [],
): ReadonlySet<string> {
  const listed = known.flatMap((one) =>
    typeof one === "string" ? one : [one.uri, ...(one.dependsOn ?? [])],
  );
  const active = new Set([...listed, ...more]);
  for (const uri of active) {
    if (uri === "" || /[,\s]/.test(uri) || UNSAFE.test(uri)) {
      throw new ClientError(
        "INVALID_OPTION",
        `${JSON.stringify(uri)} is not a valid extension URI: a header could not list it`,
      );
    }
  }
  return active;
}
