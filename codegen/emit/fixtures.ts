import type { Container, Field, Message, Spec } from "../spec-model.js";
import { containerFaults, faultsOf, joinPath, placeElement } from "./faults.js";
import { containerOf, fullSample, fullValue, messagesOf, minimalSample } from "./samples.js";
import { variationsOf } from "./variations.js";

/** A payload that the validator accepts. */
export interface ValidFixture {
  readonly name: string;
  readonly value: unknown;
}

/** A payload that the validator refuses. */
export interface InvalidFixture extends ValidFixture {
  /** Path of the fault, such as `message.parts[1].raw`; empty for the payload itself. */
  readonly path: string;
  /** Keyword that refuses it. */
  readonly rule: string;
}

/** Payloads of one type. */
export interface TypeFixtures {
  readonly valid: readonly ValidFixture[];
  readonly invalid: readonly InvalidFixture[];
}

/** A place inside a payload where a message stands, with a way to put another value there. */
interface Site {
  readonly message: Message;
  /** Name of the place, part of the names of its payloads. */
  readonly label: string;
  readonly path: string;
  readonly embed: (value: unknown) => unknown;
  /** Whether the place is in another guarded type. That type has its own fixtures, so its first and last fault are enough here. */
  readonly sparse: boolean;
}

/** `fixtures.json`: valid and invalid payloads of every guarded type, one per line. */
export function emitFixtures(spec: Spec): string {
  const types = spec.guarded.map((name) => {
    const { valid, invalid } = typeFixtures(spec, name);
    return `  ${JSON.stringify(name)}: {\n    "valid": ${rows(valid)},\n    "invalid": ${rows(invalid)}\n  }`;
  });
  return `{\n${types.join(",\n")}\n}\n`;
}

/** Payloads of one guarded type. Each type below it has its faults once, at the first place where it occurs. */
export function typeFixtures(spec: Spec, name: string): TypeFixtures {
  const container = spec.containers.find((candidate) => candidate.name === name);
  const roots = rootSites(spec, name, container);
  const sites = sitesBelow(spec, roots);
  return {
    valid: [
      ...(container
        ? [
            { name: "empty", value: container.field.container === "map" ? {} : [] },
            { name: "full", value: fullValue(spec, container) },
          ]
        : roots.flatMap(({ message, label }) => [
            { name: join(label, " ", "minimal"), value: minimalSample(spec, message) },
            { name: join(label, " ", "full"), value: fullSample(spec, message) },
          ])),
      ...sites.flatMap((site) => (site.sparse ? [] : validAt(spec, site))),
    ],
    invalid: [
      ...(container ? containerFaults(spec, container) : []),
      ...sites.flatMap((site) => invalidAt(spec, site)),
    ],
  };
}

/** The places at the root of a type: the message itself, each message of a union, or the content of a container. */
function rootSites(spec: Spec, name: string, container: Container | undefined): Site[] {
  if (container !== undefined)
    return waysInto(spec, container.field).map(({ message, path, put }) => ({
      message,
      label: join(path, " ", message.name),
      path,
      embed: put,
      sparse: spec.guarded.includes(message.name),
    }));
  const messages = messagesOf(spec, { kind: "message", type: name });
  if (messages.length === 0) throw new Error(`no type ${name}`);
  return messages.map((message) => ({
    message,
    label: message.name === name ? "" : message.name,
    path: "",
    embed: (value) => value,
    sparse: false,
  }));
}

function validAt(spec: Spec, { message, label, embed }: Site): ValidFixture[] {
  return variationsOf(spec, message).map(({ name, value }) => ({
    name: join(label, " ", name),
    value: embed(value),
  }));
}

function invalidAt(spec: Spec, { message, label, path, embed, sparse }: Site): InvalidFixture[] {
  const faults = faultsOf(spec, message).filter((fault) => label === "" || fault.name !== "no object");
  const chosen = sparse ? faults.filter((_, index) => index === 0 || index === faults.length - 1) : faults;
  return chosen.map((fault) => ({
    name: join(label, ": ", fault.name),
    value: embed(fault.value),
    path: joinPath(path, fault.path),
    rule: fault.rule,
  }));
}

/** The places of all messages below the roots, each type once, breadth first. */
function sitesBelow(spec: Spec, roots: readonly Site[]): Site[] {
  const sites = [...roots];
  const met = new Set(roots.map(({ message }) => message.name));
  for (const site of sites) {
    for (const field of site.message.fields) {
      for (const { message, path, put } of waysInto(spec, field)) {
        if (met.has(message.name)) continue;
        met.add(message.name);
        const here = joinPath(site.path, path);
        const isOneOfSeveral = messagesOf(spec, field).length > 1;
        sites.push({
          message,
          label: join(here, " ", isOneOfSeveral ? message.name : ""),
          path: here,
          embed: (value) =>
            site.embed({ ...minimalSample(spec, site.message, field.name), [field.name]: put(value) }),
          sparse: site.sparse || spec.guarded.includes(message.name),
        });
      }
    }
  }
  return sites;
}

/** A message inside a member: its path in the member, and a function that puts a value there. */
interface Way {
  readonly message: Message;
  readonly path: string;
  readonly put: (value: unknown) => unknown;
}

function waysInto(spec: Spec, field: Field): Way[] {
  const container = containerOf(spec, field);
  const ways: readonly Way[] = container
    ? waysInto(spec, container.field)
    : messagesOf(spec, field).map((message) => ({ message, path: "", put: (value) => value }));
  return ways.map(({ message, path, put }) => ({
    message,
    path: joinPath(placeElement(spec, field, undefined).path, path),
    put: (value) => placeElement(spec, field, put(value)).value,
  }));
}

function join(left: string, separator: string, right: string): string {
  return left === "" || right === "" ? left + right : left + separator + right;
}

function rows(fixtures: readonly ValidFixture[]): string {
  return `[\n${fixtures.map((fixture) => `      ${JSON.stringify(fixture)}`).join(",\n")}\n    ]`;
}
