import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const below = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests that count timers, promises or open handles of their whole process: each file gets a process of its own. */
const counting = ["test/budget/**/*.test.ts", "test/stores/memory-retention.test.ts"];
/** Tests of the built and packed package, after `npm run build`. */
const ofPackage = ["test/package/**/*.test.ts"];
/**
 * Tests that take longest: whole processes at the limits of their memory, processes that are killed, contracts of
 * database servers, compilations of whole projects, and all our agents under all checks. `npm run check` runs them.
 */
const whole = [
  "test/cli/{codegen-protocol,init}.test.ts",
  "test/codegen/import/{commands,killed,main}.test.ts",
  "test/deployment/{grpc-proxies,rolling-restart}.test.ts",
  "test/conformance/{own-agents,over-grpc,spoiled}.test.ts",
  "test/docs/compile.test.ts",
  "test/grpc/{attacks,memory,web,web-client}.test.ts",
  "test/client/browser/grpc-web.test.ts",
  "test/client/memory.test.ts",
  "test/engine/two-senders.test.ts",
  "test/interop/many-nodes.test.ts",
  "test/json/compiled-schema.test.ts",
  "test/operations/{bodies-in-memory,large-pages,large-writes,many-members,messages-in-memory,stalled-readers}.test.ts",
  "test/operations/{hardened,names,unread-answers}.test.ts",
  "test/push/large-notifications.test.ts",
  "test/push/url-guard/misbehaviours.test.ts",
  "test/readme.test.ts",
  "test/runtime/supported-node.test.ts",
  "test/server/fetch/bundle.test.ts",
  "test/stores/libsql/**/*.test.ts",
  "test/simulation/{postgres,simulation}.test.ts",
  "test/stores/memory-ceiling.test.ts",
  "test/stores/postgres/{claims,contract,cut-off-node,lost-answers,nodes,silent-connections}.test.ts",
  "test/stores/sqlite/crash.test.ts",
  "test/types/options.test.ts",
];
/**
 * Behaviours that are tested over gRPC as well: the project `shared` has the JSON bindings. `npm run check` runs them. Tests of the command line that
 * watch or spoil its requests of HTTP are left out.
 */
const overGrpc = [
  "test/engine/{subscribe,list-tasks,lifecycle,streaming,task-metadata,task-creation,history,idempotency,turns,cancel}.test.ts",
  "test/engine/{execution-mode,generations,isolation,media-types,send-message}.test.ts",
  "test/push/operations.test.ts",
  "test/operations/{rate-limits,limits,work-time}.test.ts",
  "test/client/operations.test.ts",
  "test/client/stream/cuts.test.ts",
  "test/agent/{route-skills,extension-data,skills,context-memory,ask}.test.ts",
  "test/cli/{send,task,chat,card,stateless,failures}.test.ts",
  "test/auth/{credentials,requirements,isolation,rules,odd-identities}.test.ts",
  "test/operations/interceptors.test.ts",
  "test/push/inline.test.ts",
];

/** The page of the inspector in Chromium: `npm run check` runs them. */
const inspectorPage = ["test/inspector/browser/**/*.test.ts"];
/** Every host with the probe agent: `npm run test:hosts`, and `npm run check` for those that need no program of their own. */
const hosts = ["test/hosts/**/*.test.ts"];
/** The drill of a protocol update compiles the sources twice: `npm run check:drill`. */
const drill = ["test/codegen/drill/**/*.test.ts"];

/** Behaviours of a server that are tested over both hosts: the project `shared` has Koa's, the project `fetch` the other one's. */
const servedByFetch = [
  "test/push/url-guard/without-addresses.test.ts",
  "test/server/{agent-page,api-viewer,call-examples,bodies,bridge,card-resource,cors,endpoints,receiving,several-agents,shutdown,streams}.test.ts",
  "test/server/{first-draft,flat-dialect,older-stream-ends,read-metadata,relayed-numbers,unavailable}.test.ts",
  "test/server/{unnamed-version,version-0.3,version-0.3-requests,version-names,versions-together}.test.ts",
  "test/engine/{cancel,history,idempotency,send-message,streaming,subscribe}.test.ts",
  "test/auth/{credentials,requirements}.test.ts",
  "test/operations/{audit,interceptors,limits,rate-limits,request-lines,silent-streams}.test.ts",
];

const settings = {
  include: ["test/**/*.test.ts"],
  pool: "forks" as const,
  setupFiles: [below("test/support/quiet.ts")],
  restoreMocks: true,
  // A busy machine is slow; a test that hangs ends all the same.
  testTimeout: 240_000,
  hookTimeout: 240_000,
} satisfies TestProjectInlineConfiguration["test"];

const project = (name: string, include: readonly string[], isolate = true) => ({
  extends: true as const,
  resolve: { alias: platform("node") },
  test: { ...settings, name, include: [...include], isolate },
});

/** The modules that package.json chooses by platform: `node` or `web`. */
const platform = (name: "node" | "web") => [
  { find: "#runtime", replacement: below(`src/runtime/${name}.ts`) },
  { find: "#grpc", replacement: below(`src/client/transports/grpc/${name}-connection.ts`) },
  { find: "#connections", replacement: below(`src/push/url-guard/${name}-connections.ts`) },
  {
    find: "#opentelemetry-api",
    replacement: name === "node" ? below("src/opentelemetry/node-api.ts") : "@opentelemetry/api",
  },
];

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^a2a-parley\/(fetch|node|express|fastify|hono|koa|next)$/,
        replacement: below("src/server/$1/index.ts"),
      },
      { find: /^a2a-parley$/, replacement: below("src/index.ts") },
      { find: /^a2a-parley\/(v[\d.]+(?:-draft)?)$/, replacement: below("generated/$1/index.ts") },
      { find: /^a2a-parley\/(.*)$/, replacement: below("src/$1/index.ts") },
    ],
  },
  test: {
    // Most tests wait for sockets: more workers than processors.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        resolve: { alias: platform("node") },
        test: {
          ...settings,
          name: "shared",
          exclude: [...counting, ...ofPackage, ...drill, ...whole, ...hosts, ...inspectorPage],
          // Files share processes: loading the library costs more than most of them do.
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: { alias: platform("web") },
        test: {
          ...settings,
          name: "fetch",
          include: servedByFetch,
          env: { TEST_HOST: "fetch" },
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: { alias: platform("node") },
        test: { ...settings, name: "grpc", include: overGrpc, env: { TEST_BINDING: "GRPC" }, isolate: false },
      },
      project("counting", counting),
      project("whole", whole, false),
      project("package", ofPackage),
      project("drill", drill),
      project("hosts", hosts, false),
      {
        extends: true,
        resolve: { alias: platform("node") },
        test: {
          ...settings,
          name: "inspector",
          include: inspectorPage,
          globalSetup: below("test/inspector/browser/built-page.ts"),
        },
      },
    ],
    coverage: {
      provider: "v8",
      reporter: ["text-summary", "json"],
      reportsDirectory: ".cache/coverage",
      include: ["src/**/*.ts", "codegen/**/*.ts"],
      // About a point below what the tests cover, so that it is noticed when a folder loses some.
      thresholds: {
        "codegen/**": { lines: 94, branches: 88 },
        "src/agent/**": { lines: 98, branches: 95 },
        "src/async/**": { lines: 99, branches: 97 },
        "src/auth/**": { lines: 99, branches: 96 },
        "src/bridges/**": { lines: 99, branches: 97 },
        "src/card/**": { lines: 99, branches: 95 },
        "src/cli/**": { lines: 94, branches: 83 },
        "src/client/**": { lines: 98, branches: 94 },
        "src/collections/**": { lines: 99, branches: 98 },
        "src/conformance/**": { lines: 96, branches: 83 },
        "src/engine/**": { lines: 97, branches: 93 },
        "src/inspector/*.ts": { lines: 93, branches: 85 },
        "src/json/**": { lines: 98, branches: 96 },
        "src/net/**": { lines: 99, branches: 91 },
        "src/observability/**": { lines: 97, branches: 95 },
        "src/opentelemetry/**": { lines: 96, branches: 98 },
        "src/protocol/**": { lines: 99, branches: 92 },
        "src/push/**": { lines: 98, branches: 94 },
        "src/recording/**": { lines: 97, branches: 88 },
        "src/server/**": { lines: 98, branches: 93 },
        "src/stores/**": { lines: 97, branches: 90 },
        "src/task-log/**": { lines: 99, branches: 97 },
        "src/testing/**": { lines: 97, branches: 86 },
        "src/versions/**": { lines: 98, branches: 96 },
      },
    },
  },
});
