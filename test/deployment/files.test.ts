import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { parseAllDocuments } from "yaml";
import { root } from "../support/root.js";

const folder = join(root, "examples/deployment");
const read = (file: string, from = folder) => readFileSync(join(from, file), "utf8");

/** The documents of a YAML file, aliases and merges resolved. */
function documents(file: string, from = folder): any[] {
  return parseAllDocuments(read(file, from), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS();
  });
}

/** Environment variables that the program reads. */
const known = [...read("main.ts").matchAll(/\b([A-Z]+(?:_[A-Z]+)*)\b(?: = "[^"]*")?(?=,| \})/g)].map(
  ([, name]) => name,
);

/** The time after which a process is killed has to be longer than what it takes to stop. */
function assertTime(grace: unknown, killedAfter: number, before = 0): void {
  assert.ok(
    Number(grace) + before + 2 <= killedAfter,
    `${grace} s and ${before} s, killed after ${killedAfter} s`,
  );
}

test("examples/deployment: compose.yml has two nodes that can stop in time, and publishes the proxy only", () => {
  const [{ services }] = documents("compose.yml");
  for (const name of ["agent-1", "agent-2"]) {
    const { environment, stop_grace_period: period, depends_on: needs } = services[name];
    for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), variable);
    assertTime(environment.GRACE, Number(period.replace("s", "")));
    assert.ok(services.db.healthcheck && needs.db.condition === "service_healthy");
    assert.match(read("nginx.conf"), new RegExp(`server ${name}:4000 `));
  }
  assert.deepEqual(
    Object.keys(services).filter((name) => services[name].ports !== undefined),
    ["proxy"],
  );
  const [, source] = /\.\/([\w.]+):/.exec(services.proxy.volumes[0]) ?? [];
  assert.ok(existsSync(join(folder, source ?? "")));
  const docker = spawnSync("docker", ["compose", "version"]);
  if (docker.status !== 0) return;
  const env = { ...process.env, DATABASE_PASSWORD: "x" };
  const checked = spawnSync("docker", ["compose", "-f", join(folder, "compose.yml"), "config", "-q"], {
    env,
  });
  assert.equal(checked.status, 0, String(checked.stderr));
});

test("examples/deployment: kubernetes.yml keeps a pod at all times, and gives each the time to stop", () => {
  const all = documents("kubernetes.yml");
  const [deployment, service, budget] = ["Deployment", "Service", "PodDisruptionBudget"].map((kind) =>
    all.find((one) => one.kind === kind),
  );
  const { replicas, strategy, template } = deployment.spec;
  const { spec, metadata } = template;
  const [container] = spec.containers;
  assert.equal(strategy.rollingUpdate.maxUnavailable, 0);
  assert.ok(budget.spec.minAvailable < replicas);
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    assert.deepEqual(selector, metadata.labels);
  assert.equal(container.readinessProbe.httpGet.path, "/readyz");
  assert.equal(container.livenessProbe.httpGet.path, "/healthz");
  const env = new Map(container.env.map((one: any) => [one.name, one.value]));
  for (const name of env.keys()) assert.ok(known.includes(String(name)), String(name));
  assertTime(
    env.get("GRACE"),
    spec.terminationGracePeriodSeconds,
    Number(container.lifecycle.preStop.exec.command[1]),
  );
  const [port] = service.spec.ports;
  assert.equal(port.targetPort, container.ports[0].name);
});

test("examples/deployment: Cloud Run stops within its ten seconds, and systemd within its time", () => {
  const [run] = documents("cloud-run.yml");
  const [container] = run.spec.template.spec.containers;
  const grace = container.env.find((one: any) => one.name === "GRACE").value;
  assertTime(grace, 10);
  const unit = read("agent.service");
  const value = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(unit)?.[1];
  assertTime(value("GRACE"), Number(value("TimeoutStopSec")));
  for (const [, name] of unit.matchAll(/[ =]([A-Z_]+)=/g))
    assert.ok([...known, "NODE_ENV"].includes(name), name);
});

test("examples/deployment: the image runs as a user without rights, checks its health, and gets signals", () => {
  const dockerfile = read("Dockerfile");
  const [, last = ""] = dockerfile.split(/^FROM .*$(?![\s\S]*^FROM )/m);
  assert.match(last, /^USER node$/m);
  assert.match(last, /^HEALTHCHECK .*\/readyz/m);
  assert.match(last, /^CMD \["node", "main\.mjs"\]$/m);
  for (const [, name] of last.matchAll(/\b([A-Z]+)=/g))
    assert.ok([...known, "NODE_ENV"].includes(name), name);
});

test("examples/deployment: what the Dockerfile bundles runs in a project whose package.json says CommonJS", () => {
  const [, command = ""] = /^RUN npx --yes (esbuild.*)$/m.exec(read("Dockerfile")) ?? [];
  const [, ...args] = command.split(" ");
  const place = mkdtempSync(join(tmpdir(), "parley-bundle-"));
  try {
    for (const file of ["main.ts", "agent.ts"]) copyFileSync(join(folder, file), join(place, file));
    writeFileSync(join(place, "package.json"), '{ "type": "commonjs" }');
    const bundled = spawnSync(join(root, "node_modules/.bin/esbuild"), args, { cwd: place });
    assert.equal(bundled.status, 0, String(bundled.stderr));
    const [, file = ""] = /^CMD \["node", "(.*)"\]$/m.exec(read("Dockerfile")) ?? [];
    const checked = spawnSync(process.execPath, ["--check", file], { cwd: place });
    assert.equal(checked.status, 0, String(checked.stderr));
    assert.match(read("agent.service"), new RegExp(`/opt/agent/${file}$`, "m"));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test("examples/deployment: traefik.yml removes the headers that callers could forge, and flushes streams", () => {
  const [{ http }] = documents("traefik.yml");
  const { headers } = http.middlewares["agent-headers"];
  assert.deepEqual(headers.customRequestHeaders, { Forwarded: "", "X-Forwarded-Prefix": "" });
  for (const name of http.routers.agents.middlewares) assert.ok(http.middlewares[name], name);
  assert.equal(http.services.agents.loadBalancer.responseForwarding.flushInterval, "-1ms");
});

test("examples/operations: the services find their files, each other and the metrics", () => {
  const operations = join(root, "examples/operations");
  const [{ services, volumes }] = documents("compose.yml", operations);
  for (const [name, { image, build, volumes: mounts = [] }] of Object.entries<any>(services)) {
    // A version of its own: "latest" is another program tomorrow.
    if (build === undefined) assert.match(image, /^[\w/]+:v?\d[\w.]*$/, name);
    for (const mount of mounts) {
      const [source] = mount.split(":");
      const isThere = source.startsWith(".") ? existsSync(join(operations, source)) : source in volumes;
      assert.ok(isThere, `${name}: ${mount}`);
    }
  }
  const { context, dockerfile } = services.agent.build;
  const image = read(dockerfile, join(operations, context));
  const [, program = ""] = /"([\w/]+\.ts)"/.exec(image) ?? [];
  const main = read(program, join(operations, context));
  // What was installed for the machine that builds the image stays out of it.
  assert.match(read(`${dockerfile}.dockerignore`, join(operations, context)), /^node_modules$/m);
  for (const variable of Object.keys(services.agent.environment))
    assert.ok(main.includes(variable), variable);
  const password = /\$\{(\w+)/.exec(services.db.environment.POSTGRES_PASSWORD)?.[1] ?? "";
  assert.ok(services.agent.environment.DATABASE_URL.includes(`\${${password}`));
  for (const [, name] of read("compose.yml", operations).matchAll(/\$\{(\w+)/g))
    assert.ok(read("README.md", operations).includes(`${name}=`), name);

  const [{ scrape_configs: jobs }] = documents("prometheus.yml", operations);
  const [host, port] = jobs[0].static_configs[0].targets[0].split(":");
  assert.ok(host in services && main.includes(`port: ${port}`));
  const [{ datasources }] = documents("grafana/datasource.yml", operations);
  assert.ok(new URL(datasources[0].url).hostname in services);
  const [{ providers }] = documents("grafana/dashboards.yml", operations);
  const mounted = services.grafana.volumes.map((mount: string) => mount.split(":")[1]);
  assert.ok(mounted.some((path: string) => path.startsWith(`${providers[0].options.path}/`)));
});
