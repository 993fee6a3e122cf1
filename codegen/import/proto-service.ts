import protobuf from "protobufjs";
import { camelCase } from "./camel-case.js";
import type { Route } from "./contract.js";
import type { OfficialOperation } from "./official.js";
import { proseOf } from "./prose.js";
import type { ProtoNames } from "./proto-names.js";

const rule = "(google.api.http)";
const empty = "google.protobuf.Empty";
const verbs = ["get", "post", "put", "patch", "delete"];
/** Verbs whose requests have no body unless the rule says one. */
const bodiless = ["get", "delete"];
/** `{id}`, or `{id=*}`: one segment; `{name=tasks/*}`: several. */
const variable = /\{([^{}=]+)(?:=([^{}]*))?\}/g;

/** The operations of a service: JSON-RPC methods are named as its methods are. */
export function readService(
  service: protobuf.Service,
  names: ProtoNames,
  problems: string[],
): OfficialOperation[] {
  return service.methodsArray.map((method) => {
    const refuse = (reason: string) => problems.push(`${service.name}.${method.name}: ${reason}`);
    if (method.requestStream) refuse("a stream of requests has no place in the bindings");
    const http = rulesOf(method).flatMap((entry) => routeOf(entry, refuse));
    if (http.length === 0) refuse(`no ${rule} rule`);
    return {
      name: method.name,
      description: proseOf(method.comment),
      method: method.name,
      http,
      request: messageName(method.requestType, service, { names, refuse }),
      response: isEmpty(method.responseType)
        ? null
        : messageName(method.responseType, service, { names, refuse }),
      streaming: method.responseStream === true,
      ...(method.options?.deprecated === true && { deprecated: true }),
    };
  });
}

function isEmpty(type: string): boolean {
  return type.replace(/^\./, "") === empty;
}

interface Lookup {
  readonly names: ProtoNames;
  readonly refuse: (reason: string) => void;
}

function messageName(type: string, parent: protobuf.Service, { names, refuse }: Lookup): string {
  const target = names.typeOf({ type, parent });
  if (target instanceof protobuf.Type) return names.of(target);
  refuse(`${type} is not a message of the definition`);
  return type;
}

type HttpRule = Readonly<Record<string, unknown>>;

/** The rule of a method and its additional bindings, in order. */
function rulesOf({ parsedOptions }: protobuf.Method): HttpRule[] {
  const rules = (parsedOptions ?? []).map((option) => option[rule]).filter(isRule);
  return rules.flatMap((first) => [first, ...[first.additional_bindings].flat().filter(isRule)]);
}

function isRule(value: unknown): value is HttpRule {
  return typeof value === "object" && value !== null;
}

function routeOf(entry: HttpRule, refuse: (reason: string) => void): Route[] {
  return verbs.flatMap((verb) => {
    const template = entry[verb];
    if (typeof template !== "string") return [];
    const path = template.replace(variable, (_, name: string, pattern = "*") => {
      if (!/^(?:\*|\w+(?:\/\w+)*\/\*)(?:\/(?:\*|\w+))*$/.test(pattern)) {
        refuse(`${template}: ${pattern} is no pattern of segments`);
      }
      return pattern === "*" ? `{${camelCase(name)}}` : `{${camelCase(name)}=${pattern}}`;
    });
    const body = typeof entry.body === "string" ? camelCase(entry.body) : "";
    const implied = bodiless.includes(verb) ? "" : "*";
    return [{ verb: verb.toUpperCase(), path, ...(body !== implied && { body }) }];
  });
}
