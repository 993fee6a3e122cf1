import type { StoreKind } from "./stores.js";

/** The choices that the image depends on. */
interface ImagePlan {
  readonly language: "ts" | "js";
  readonly store: StoreKind;
}

/** A Dockerfile with two stages, and a .dockerignore. The image has no development packages, and its process runs without privileges. */
export function dockerFiles({ language, store }: ImagePlan): Readonly<Record<string, string>> {
  const isTyped = language === "ts";
  const code = isTyped ? "dist" : "src";
  const data =
    store === "sqlite" ? "\nENV TASKS=/data/tasks.db\nRUN mkdir /data && chown node /data\nVOLUME /data" : "";
  const dockerfile = `FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN ${isTyped ? "npm run build && " : ""}npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=41241
WORKDIR /app${data}
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/${code} ./${code}
USER node
EXPOSE 41241
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "${code}/main.js"]
`;
  return { Dockerfile: dockerfile, ".dockerignore": "node_modules\ndist\n.git\n*.db*\n" };
}
