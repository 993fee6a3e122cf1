import type { Message, Spec } from "../spec-model.js";
import { faultsOf, placeElement } from "./faults.js";
import { fullSample, messageOf, minimalSample } from "./samples.js";
import { variationsOf } from "./variations.js";

/** A payload that the validator takes. */
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
  readonly path: string;
  readonly embed: (value: unknown) => unknown;
  /** Reached through another boundary type, which has fixtures of its own: its first and last fault are enough here. */
  readonly sparse: boolean;
}

/** `fixtures.json`: valid and invalid payloads of every boundary type, one per line. */
export function emitFixtures(spec: Spec): string {
  const types = spec.boundaries.map((name) => {
    const { valid, invalid } = typeFixtures(spec, name);
    return `  ${JSON.stringify(name)}: {\n    "valid": ${rows(valid)},\n    "invalid": ${rows(invalid)}\n  }`;
  });
  return `{\n${types.join(",\n")}\n}\n`;
}

/** Payloads of one boundary type. Every type below it gets its faults once, at the first place it is met. */
export function typeFixtures(spec: Spec, name: string): TypeFixtures {
  const root = spec.messages.find((message) => message.name === name);
  if (root === undefined) throw new Error(`no message ${name}`);
  const sites = sitesBelow(spec, root);
  return {
    valid: [
      { name: "minimal", value: minimalSample(spec, root) },
      { name: "full", value: fullSample(spec, root) },
      ...sites.flatMap((site) => (site.sparse ? [] : validAt(spec, site))),
    ],
    invalid: sites.flatMap((site) => invalidAt(spec, site)),
  };
}

function validAt(spec: Spec, { message, path, embed }: Site): ValidFixture[] {
  return variationsOf(spec, message).map(({ name, value }) => ({
    name: join(path, " ", name),
    value: embed(value),
  }));
}

function invalidAt(spec: Spec, { message, path, embed, sparse }: Site): InvalidFixture[] {
  const faults = faultsOf(spec, message).filter((fault) => path === "" || fault.name !== "no object");
  const chosen = sparse ? faults.filter((_, index) => index === 0 || index === faults.length - 1) : faults;
  return chosen.map((fault) => ({
    name: join(path, ": ", fault.name),
    value: embed(fault.value),
    path: join(path, ".", fault.path),
    rule: fault.rule,
  }));
}

/** The places of all messages below the root, each type once, breadth first. */
function sitesBelow(spec: Spec, root: Message): Site[] {
  const sites: Site[] = [{ message: root, path: "", embed: (value) => value, sparse: false }];
  const met = new Set([root.name]);
  for (const site of sites) {
    for (const field of site.message.fields) {
      const message = messageOf(spec, field);
      if (message === undefined || met.has(message.name)) continue;
      met.add(message.name);
      sites.push({
        message,
        path: join(site.path, ".", placeElement(spec, field, undefined).path),
        embed: (value) =>
          site.embed({
            ...minimalSample(spec, site.message, field.name),
            [field.name]: placeElement(spec, field, value).value,
          }),
        sparse: site.sparse || spec.boundaries.includes(message.name),
      });
    }
  }
  return sites;
}

function join(left: string, separator: string, right: string): string {
  return left === "" || right === "" ? left + right : left + separator + right;
}

function rows(fixtures: readonly ValidFixture[]): string {
  return `[\n${fixtures.map((fixture) => `      ${JSON.stringify(fixture)}`).join(",\n")}\n    ]`;
}
