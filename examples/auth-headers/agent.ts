import { defineAgent, working } from "a2a-parley";

/** Keeps notes. Its card says how callers identify themselves: with a key, or with a bearer token. */
export const agent = defineAgent({
  card: {
    name: "Notebook",
    description: "Keeps your notes, and shows them only to you.",
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } },
      login: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    },
    securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { login: { list: [] } } }],
  },
  async *execute({ call }) {
    yield working(`Noted for ${call.principal.id}`);
  },
});
