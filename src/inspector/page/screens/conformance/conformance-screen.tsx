import { useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { download } from "../../components/download.js";
import { Choice, TextField } from "../../components/field.js";
import { byRequirement, type RequirementVerdict, verdictCounts } from "../../conformance/by-requirement.js";
import { conformanceState, startConformance, stopConformance } from "../../conformance/conformance-state.js";
import { currentAgent } from "../../session/current-agent.js";
import { pageServer } from "../../session/page-server.js";
import { RequirementRow, verdictWords } from "./requirement-row.js";

/** Checks the agent by the requirements of the protocol. */
export function ConformanceScreen() {
  const server = pageServer.value;
  const canCheck = server.status === "ready" && server.session.can.conformance;
  return (
    <>
      <header class="stack">
        <h1>Conformance</h1>
        <p>
          The inspector sends the agent messages that must work, and others that it must refuse, and compares
          what it does with the requirements of the protocol. The checks create tasks on the agent: do not run
          them against one that real people use.
        </p>
      </header>
      {canCheck ? (
        <RunForm />
      ) : (
        <Notice>
          <span>
            This page cannot run the checks. Start <code>parley inspect</code> on your machine, or run{" "}
            <code>parley conformance</code>.
          </span>
        </Notice>
      )}
      <Progress />
      <Results />
    </>
  );
}

const start = { protocol: "", only: "", bearer: "", apiKey: "" };

function RunForm() {
  const agent = currentAgent.value;
  const [entered, setEntered] = useState(start);
  if (agent.status === "none") return null;
  const { status } = conformanceState.value;
  const set = (name: keyof typeof start) => (value: string) => setEntered({ ...entered, [name]: value });
  const versions =
    agent.status === "open"
      ? [...new Set(agent.card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion))]
      : [];
  const run = (event: Event) => {
    event.preventDefault();
    const { protocol, only, bearer, apiKey } = entered;
    const ids = only.split(/[\s,]+/).filter(Boolean);
    void startConformance({
      ...{ target: agent.url, agent: agent.url },
      ...(protocol !== "" && { protocol }),
      ...(ids.length > 0 && { only: ids }),
      ...((bearer || apiKey) && { credentials: { ...(bearer && { bearer }), ...(apiKey && { apiKey }) } }),
    });
  };
  return (
    <form class="panel" onSubmit={run}>
      <div class="choices">
        <Choice
          label="Version"
          value={entered.protocol}
          options={[["", "The newest in the card"], ...versions.map((each) => [each, each] as const)]}
          onValue={set("protocol")}
        />
        <TextField
          label="Only these requirements"
          value={entered.only}
          onValue={set("only")}
          placeholder="OP-SEND CARD-01"
          hint="Ids or groups of ids; empty for all."
        />
        <TextField
          label="Token"
          type="password"
          value={entered.bearer}
          onValue={set("bearer")}
          hint="For this run only."
        />
        <TextField
          label="API key"
          type="password"
          value={entered.apiKey}
          onValue={set("apiKey")}
          hint="For this run only."
        />
      </div>
      <div class="row">
        <Button look="primary" type="submit" disabled={status === "running"}>
          {status === "running" ? "Checking …" : "Check the agent"}
        </Button>
        {status === "running" && <Button onClick={stopConformance}>Stop</Button>}
      </div>
    </form>
  );
}

function Progress() {
  const { status, done, all, problem } = conformanceState.value;
  return (
    <>
      {status === "running" && (
        <div class="row" role="status">
          <progress value={done} max={Math.max(all, 1)} aria-label="Checks that are done" />
          <span>
            {done} of {all || "…"} checks
          </span>
        </div>
      )}
      {problem !== undefined && (
        <Notice tone="bad">
          <strong>The run is not complete.</strong>
          <span class="text">{problem}</span>
        </Notice>
      )}
    </>
  );
}

function Results() {
  const { checks, report, status } = conformanceState.value;
  const [wanted, setWanted] = useState("");
  const [filter, setFilter] = useState("");
  if (checks.length === 0) return null;
  const all = byRequirement(checks);
  const counts = verdictCounts(all);
  const text = filter.toLowerCase();
  const shown = all.filter(
    ({ id, verdict, checks: of }) =>
      (wanted === "" || verdict === wanted) &&
      `${id} ${of.map(({ claim }) => claim).join(" ")}`.toLowerCase().includes(text),
  );
  const save = () =>
    download({
      content: JSON.stringify({ ...report, checks }, undefined, 2),
      mediaType: "application/json",
      name: "conformance.json",
    });
  return (
    <section class="stack" aria-label="Results">
      <header class="row end">
        <h2>
          {counts.violated === 0
            ? "No requirement is violated"
            : `${counts.violated} ${counts.violated === 1 ? "requirement is" : "requirements are"} violated`}
        </h2>
        {status === "done" && <Button onClick={save}>Save the report</Button>}
      </header>
      <p>
        {counts.met} met, {counts.violated} violated, {counts.unprovoked} not checked
        {report !== undefined && ` · version ${report.protocolVersion} over ${report.bindings.join(", ")}`}.
      </p>
      <div class="choices">
        <Choice
          label="Show"
          value={wanted}
          options={[
            ["", `All (${all.length})`],
            ...(["violated", "met", "unprovoked"] as const).map(
              (each: RequirementVerdict) => [each, `${verdictWords[each][0]} (${counts[each]})`] as const,
            ),
          ]}
          onValue={setWanted}
        />
        <TextField label="Only with this text" value={filter} onValue={setFilter} />
      </div>
      <ul class="requirements" aria-label="Requirements">
        {shown.map((each) => (
          <RequirementRow key={each.id} requirement={each} />
        ))}
      </ul>
    </section>
  );
}
