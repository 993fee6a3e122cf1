import type { HttpRoute } from "../../../versions/client-codec.js";
import type { Codec, WireRoute } from "../../../versions/codec.js";

/** The routes at a path, by HTTP method, and the values of the variables in the path, still percent-encoded. */
export interface Place {
  readonly verbs: ReadonlyMap<string, WireRoute>;
  readonly variables: Readonly<Record<string, string>>;
}

/** A literal, or a variable with an optional action after a colon. */
type Segment = string | { readonly variable: string; readonly suffix: string };

interface Template {
  readonly segments: readonly Segment[];
  readonly verbs: Map<HttpRoute["verb"], WireRoute>;
}

/**
 * Finds the routes of a version at a path, which is relative to the mount of the binding and still percent-encoded (§11.3). Routes without
 * a tenant are tried first, and a tenant cannot have the name of a route. An action is split off at the last literal colon before the path
 * is decoded, so an encoded colon belongs to the identifier.
 */
export function findPlace(path: string, codec: Codec): Place | undefined {
  const given = path.split("/").slice(1);
  const { templates, reserved } = tableOf(codec);
  for (const { segments, verbs } of templates) {
    const variables = segments.length === given.length ? match(segments, given, reserved) : undefined;
    if (variables !== undefined) return { verbs, variables };
  }
  return undefined;
}

/** The compiled routes of a version. */
interface RouteTable {
  /** Templates in the order in which they are tried. */
  readonly templates: readonly Template[];
  /** First segments of the routes, which are not tenants. */
  readonly reserved: ReadonlySet<string>;
}

const tables = new WeakMap<Codec, RouteTable>();

function tableOf(codec: Codec): RouteTable {
  const known = tables.get(codec);
  if (known !== undefined) return known;
  const templates = compile(codec.routes);
  const firsts = templates.flatMap(({ segments: [first] }) => (typeof first === "string" ? [first] : []));
  const table = { templates, reserved: new Set(firsts) };
  tables.set(codec, table);
  return table;
}

function compile(routes: readonly WireRoute[]): Template[] {
  const byPath = new Map<string, Template>();
  for (const route of routes) {
    const template = byPath.get(route.path) ?? {
      segments: route.path.split("/").slice(1).map(segment),
      verbs: new Map(),
    };
    template.verbs.set(route.verb, route);
    byPath.set(route.path, template);
  }
  return [...byPath.values()].sort((one, other) => rank(one) - rank(other));
}

function segment(text: string): Segment {
  const [, variable, suffix = ""] = /^\{(\w+)\}(:\w+)?$/.exec(text) ?? [];
  return variable === undefined ? text : { variable, suffix };
}

/** Sorts literals before tenants, and actions before identifiers that look like one. */
function rank({ segments }: Template): number {
  const last = segments.at(-1);
  return (typeof segments[0] === "string" ? 0 : 2) + (typeof last === "object" && last.suffix !== "" ? 0 : 1);
}

function match(
  segments: readonly Segment[],
  given: readonly string[],
  reserved: ReadonlySet<string>,
): Record<string, string> | undefined {
  const variables: Record<string, string> = {};
  for (const [index, wanted] of segments.entries()) {
    const text = given[index] ?? "";
    if (typeof wanted === "string") {
      if (text !== wanted) return undefined;
    } else {
      const { variable, suffix } = wanted;
      if (!text.endsWith(suffix) || (index === 0 && (text === "" || reserved.has(text)))) return undefined;
      variables[variable] = suffix === "" ? text : text.slice(0, -suffix.length);
    }
  }
  return variables;
}
