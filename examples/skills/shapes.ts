import { z } from "zod";

/** Id and schemas of the skill `quote`, for the agent and for its callers. */
export const quoteShapes = {
  id: "quote",
  input: z.object({
    kind: z.enum(["bicycle", "boat", "house"]),
    amount: z.number().positive(),
    since: z
      .string()
      .default("2026-01-01")
      .transform((day) => new Date(day)),
  }),
  output: z.object({ premium: z.number(), until: z.string() }),
} as const;

/** The same with plain JSON Schemas. */
export const claimShapes = {
  id: "claim",
  input: {
    type: "object",
    properties: { policy: { type: "string", pattern: "^P-\\d+$" }, what: { type: "string" } },
    required: ["policy"],
  },
  output: { type: "object", properties: { paid: { type: "number", minimum: 0 } }, required: ["paid"] },
} as const;
