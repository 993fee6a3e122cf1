import { toDraft2020 } from "../../json/schema/dialect.js";
import type { AgentExtension } from "../../protocol/model.js";
import type { DataSchema, SkillMap, SkillSchemas } from "./contract.js";
import { jsonSchemaOf } from "./json-schema-of.js";
import { SKILL_SCHEMAS } from "./published.js";

/**
 * The extension by which a card publishes the schemas of skills.
 * @throws TypeError for a schema that cannot be written as a JSON Schema, or is of a dialect that is not supported
 */
export function publication(skills: SkillMap): Required<Omit<AgentExtension, "required">> {
  const schemas = Object.entries(skills).map(([id, { input, output }]) => {
    const side = (name: string, schema: DataSchema) => {
      const what = `The ${name} of the skill ${id}`;
      return { [name]: toDraft2020(jsonSchemaOf(schema, what)) };
    };
    const entry: SkillSchemas = { ...(input && side("input", input)), ...(output && side("output", output)) };
    return [id, entry] as const;
  });
  return {
    uri: SKILL_SCHEMAS,
    description: "JSON Schemas of the input and output of each skill.",
    params: { skills: Object.fromEntries(schemas) },
  };
}
