import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentCard } from "../../../../protocol/model.js";
import { type OperationName, protocolVersion } from "../../../../protocol/operations.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { Choice } from "../../components/field.js";
import type { FormDocument } from "../../forms/form-schema.js";
import { schemaProblems } from "../../forms/schema-problems.js";
import { route } from "../../route.js";
import { agentUrl } from "../../session/agent-url.js";
import { currentAgent } from "../../session/current-agent.js";
import { pageServer } from "../../session/page-server.js";
import {
  carriedOver,
  firstRequest,
  operationNames,
  requestNode,
  sends,
  withFreshMessage,
} from "./call-request.js";
import { CallResults } from "./call-results.js";
import { type CallPlan, runCall, shownRuns } from "./call-run.js";
import { CopyCall } from "./copy-call.js";
import { interfaceName } from "./interface-name.js";
import { RequestEditor } from "./request-editor.js";

/** The requests that were entered, by operation; kept while other screens are shown. */
const requests = signal<ReadonlyMap<OperationName, object>>(new Map());
const chosenOperation = signal<OperationName>("SendMessage");
const chosenInterface = signal(0);

/** Every operation of the protocol as a form, over each interface of the card. */
export function OperationsScreen() {
  const agent = currentAgent.value;
  const [schemas, setSchemas] = useState<Schemas>();
  useEffect(() => {
    void import("virtual:a2a-schemas").then((loaded) => {
      begin(schemaOf(protocolVersion, loaded.schemas));
      setSchemas(loaded.schemas);
    });
  }, []);
  return (
    <>
      <h1>Operations</h1>
      <p>
        Fill in a request, or write it as JSON. It is sent exactly as you see it, even if it is invalid: you
        can try how the agent refuses it.
      </p>
      {agent.status !== "open" && <Notice tone="bad">The agent is not open, so it cannot be called.</Notice>}
      {agent.status === "open" && schemas !== undefined && <Call card={agent.card} schemas={schemas} />}
    </>
  );
}

/** Schemas of requests by protocol version. */
type Schemas = Readonly<Record<string, FormDocument>>;

/** The schema of a version. Earlier major versions have that of the newest released one, because calls are converted. */
function schemaOf(version: string, schemas: Schemas): FormDocument {
  // The build has put the schema of the newest released version in.
  return schemas[version] ?? (schemas[protocolVersion] as FormDocument);
}

/** Makes a request of each operation to begin with, and takes the operation and the task that the URL names. */
function begin(document: FormDocument): void {
  if (requests.value.size === 0)
    requests.value = new Map(operationNames.map((name) => [name, firstRequest(name, document)]));
  const [named, id] = route.value.rest;
  const name = operationNames.find((one) => one === named);
  if (name === undefined) return;
  chosenOperation.value = name;
  keep(name, carriedOver({ id }, requests.value.get(name) ?? {}));
}

function keep(name: OperationName, request: object): void {
  requests.value = new Map([...requests.value, [name, request]]);
}

function Call({ card, schemas }: { card: AgentCard; schemas: Schemas }) {
  const name = chosenOperation.value;
  const entry = card.supportedInterfaces[chosenInterface.value] ?? card.supportedInterfaces[0];
  if (entry === undefined) return <Notice tone="bad">The card names no interface.</Notice>;
  const agent = agentUrl.value ?? "";
  const document = schemaOf(entry.protocolVersion, schemas);
  const request = requests.value.get(name) ?? {};
  const node = requestNode(name, document);
  const problems = schemaProblems(request, node, document);
  const plan = { operation: name, request, card, entry };
  return (
    <>
      <Choices card={card} />
      <Actions plan={plan} hasProblems={problems.length > 0} />
      <RequestEditor
        key={name}
        node={node}
        document={document}
        value={request}
        problems={problems}
        onValue={(value) => keep(name, value as object)}
      />
      <CopyCall plan={plan} agent={agent} />
      <CallResults runs={shownRuns.value} />
    </>
  );
}

function Choices({ card }: { card: AgentCard }) {
  const name = chosenOperation.value;
  const choose = (next: OperationName) => {
    keep(next, carriedOver(requests.value.get(name), requests.value.get(next) ?? {}));
    chosenOperation.value = next;
  };
  return (
    <div class="columns">
      <Choice
        label="Operation"
        value={name}
        options={operationNames.map((each) => [each, each])}
        onValue={(next) => choose(next as OperationName)}
      />
      <Choice
        label="Interface"
        value={String(chosenInterface.value)}
        options={card.supportedInterfaces.map((each, index) => [String(index), interfaceName(each)])}
        onValue={(index) => {
          chosenInterface.value = Number(index);
        }}
      />
    </div>
  );
}

function canCall(binding: string): boolean {
  const server = pageServer.value;
  return binding.toUpperCase() !== "GRPC" || (server.status === "ready" && server.session.can.grpc);
}

function Actions({ plan, hasProblems }: { plan: CallPlan; hasProblems: boolean }) {
  const running = useRef<AbortController>(undefined);
  const isRunning = shownRuns.value.some((run) => run.isRunning);
  const run = async (plans: readonly CallPlan[]) => {
    const abort = new AbortController();
    running.current = abort;
    shownRuns.value = [];
    await Promise.all(
      plans.map((each, index) =>
        runCall(each, abort.signal, (state) => {
          const runs = [...shownRuns.value];
          runs[index] = state;
          shownRuns.value = runs.filter(Boolean);
        }),
      ),
    );
    // A message with the same id would be taken for a repetition of this one.
    if (sends(plan.operation)) keep(plan.operation, withFreshMessage(plan.request));
  };
  const { card, request } = plan;
  const all = card.supportedInterfaces
    .filter(({ protocolBinding }) => canCall(protocolBinding))
    .map((entry) => ({ ...plan, entry, request: withFreshMessage(request) }));
  return (
    <div class="row">
      <Button look="primary" disabled={isRunning} onClick={() => void run([plan])}>
        Send
      </Button>
      {all.length > 1 && (
        <Button disabled={isRunning} onClick={() => void run(all)}>
          Send over all {all.length} interfaces
        </Button>
      )}
      {isRunning && <Button onClick={() => running.current?.abort()}>Stop</Button>}
      {hasProblems && <span class="hint">The request is invalid. You can send it all the same.</span>}
    </div>
  );
}
