import type { ValidationError } from "../model.js";

/** Wording by kind of rule; the faulty member is the one that the rule's parameter names, where it names one. */
const wording: Readonly<
  Record<string, (params: ValidationError["params"]) => readonly [member: string, text: string]>
> = {
  required: ({ missingProperty }) => [`.${missingProperty}`, "is missing"],
  additionalProperties: ({ additionalProperty }) => [
    `.${additionalProperty}`,
    "is no member of the protocol",
  ],
  type: ({ type }) => ["", `must be of type ${type}`],
  exactlyOne: ({ members }) => ["", `must have exactly one of ${(members as string[]).join(", ")}`],
  minItems: ({ limit }) => ["", `must have at least ${limit} element`],
  minLength: () => ["", "must not be empty"],
};

/** The fault that a generated guard left behind, as one sentence: `skills[0].tags is missing`. */
export function schemaProblem(errors: readonly ValidationError[] | null | undefined): string {
  const [fault] = errors ?? [];
  if (fault === undefined) return "the card is not valid";
  const [member, text] = wording[fault.keyword]?.(fault.params) ?? ["", fault.message ?? "is not valid"];
  const path = `${dotted(fault.instancePath)}${member}`.replace(/^\./, "");
  return `${path === "" ? "the card" : path} ${text}`;
}

/** `/skills/0/tags` to `.skills[0].tags`. */
function dotted(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join("");
}
