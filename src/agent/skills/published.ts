import { isJsonObject } from "../../json/json-text.js";
import type { AgentCard } from "../../protocol/model.js";
import type { SkillSchemas } from "./contract.js";

/**
 * URI of the extension in which an agent publishes the schemas of its skills, because the protocol has no member for
 * them (§4.6.1). It is informational: callers do not request it. Its `params` are
 * `{ skills: { [id]: { input?, output? } } }`.
 */
export const SKILL_SCHEMAS = "urn:a2a-parley:skill-schemas:v1";

/** Metadata key by which a message names the skill that it wants. */
export const SKILL_KEY = "skill";

/** The schemas that a card publishes, by skill id. Malformed schemas and extensions are left out; the entry of a skill may be empty. */
export function publishedSchemas({
  capabilities,
}: Pick<AgentCard, "capabilities">): Map<string, SkillSchemas> {
  const extensions: unknown = capabilities.extensions;
  const entry = Array.isArray(extensions) ? extensions.find((one) => one?.uri === SKILL_SCHEMAS) : undefined;
  const schemas = Object.entries(objectIn(entry?.params?.skills)).map(([id, value]) => {
    const { input, output } = objectIn(value);
    const found: SkillSchemas = {
      ...(isJsonObject(input) && { input }),
      ...(isJsonObject(output) && { output }),
    };
    return [id, found] as const;
  });
  return new Map(schemas);
}

function objectIn(value: unknown): { readonly [key: string]: unknown } {
  return isJsonObject(value) ? value : {};
}
