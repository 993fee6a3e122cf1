import { demand } from "../expect.js";
import { at, type Json, listAt, shown, textAt } from "../json.js";

/** States in the words of both earlier versions. */
const STATES =
  /^(submitted|working|input-required|completed|canceled|failed|rejected|auth-required|unknown)$/;
const ENDED = /^(completed|canceled|failed|rejected)$/;

/** Word for the state of a task or an update. */
export function stateIn(value: Json): string {
  return textAt(value, "status", "state");
}

/** The same whatever the spelling: what is wrong with it is the business of {@link oldWords}. */
export function situationIn(value: Json): string {
  return stateIn(value)
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}

/** Whether nothing follows a state. */
export function isEnded(state: string): boolean {
  return ENDED.test(state);
}

/** Every object inside a value that has a member, the value included. */
function holders(value: Json, name: string): readonly Json[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap((member) => holders(member, name));
  return Object.hasOwn(value, name) ? [value, ...inner] : inner;
}

/** A status and messages with roles, in the words of that time. @throws Deviation */
export function oldWords(value: Json): void {
  for (const holder of holders(value, "state"))
    demand(STATES.test(textAt(holder, "state")), `a state is ${shown(at(holder, "state"))}`);
  for (const holder of holders(value, "role"))
    demand(/^(user|agent)$/.test(textAt(holder, "role")), `a role is ${shown(at(holder, "role"))}`);
}

/** Parts that say what they are under a name, as one of three words. @throws Deviation */
export function toldApart(value: Json, name: "kind" | "type"): void {
  for (const holder of holders(value, "parts"))
    for (const part of listAt(holder, "parts")) {
      const word = textAt(part, name);
      demand(/^(text|file|data)$/.test(word), `a part has the ${name} ${shown(at(part, name))}`);
      demand(at(part, word) !== undefined, `a part of ${name} "${word}" has no ${word}`);
    }
}

/** Members are there, and are texts. @throws Deviation */
export function texts(value: Json, names: readonly string[], what: string): void {
  for (const name of names)
    demand(textAt(value, name) !== "", `${what} has ${name} ${shown(at(value, name))}`);
}
