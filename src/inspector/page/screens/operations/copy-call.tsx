import { useState } from "preact/hooks";
import { operation } from "../../../../protocol/operations.js";
import { CopyButton } from "../../components/copy-button.js";
import { Tabs } from "../../components/tabs.js";
import { absoluteInterface } from "../../session/absolute-interface.js";
import { problemOf } from "../../session/current-agent.js";
import type { CallPlan } from "./call-run.js";
import { parleyOf } from "./parley-command.js";
import { curlOf, typeScriptOf, writtenRequest } from "./written-request.js";

const forms = [
  { id: "curl", label: "curl" },
  { id: "parley", label: "parley" },
  { id: "typescript", label: "TypeScript" },
];

/** Properties of {@link CopyCall}. */
export interface CopyCallProps {
  readonly plan: CallPlan;
  readonly agent: string;
}

/** The call as a command or a program, without credentials. */
export function CopyCall({ plan, agent }: CopyCallProps) {
  const [form, setForm] = useState("curl");
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Copy as curl, parley or TypeScript</summary>
      {isOpen && (
        <Tabs label="Form of the copy" tabs={forms} selected={form} onSelect={setForm}>
          {form === "curl" && (
            <Curl key={JSON.stringify([plan.entry, plan.request])} plan={plan} agent={agent} />
          )}
          {form === "parley" && (
            <Copied
              text={parleyOf(plan, agent)}
              otherwise="The command line has no words for this request. Use one of the other forms."
            />
          )}
          {form === "typescript" && <Copied text={typeScriptOf(plan, agent)} />}
          <p class="hint">Credentials are left out.</p>
        </Tabs>
      )}
    </details>
  );
}

function Curl({ plan, agent }: CopyCallProps) {
  const [written, setWritten] = useState<{ text?: string; problem?: string }>({});
  const { entry } = plan;
  if (entry.protocolBinding.toUpperCase() === "GRPC")
    return <p class="hint">curl does not speak gRPC. Use one of the other forms.</p>;
  if (written.text === undefined && written.problem === undefined) {
    const absolute = absoluteInterface(entry, agent);
    writtenRequest({ ...plan, entry: absolute }).then(
      (request) => setWritten({ text: curlOf(request, operation(plan.operation).streaming) }),
      (error: unknown) => setWritten({ problem: problemOf(error) }),
    );
  }
  return <Copied text={written.text} otherwise={written.problem ?? "Writing the request …"} />;
}

function Copied({ text, otherwise = "" }: { text: string | undefined; otherwise?: string }) {
  if (text === undefined) return <p class="hint">{otherwise}</p>;
  return (
    <div class="panel">
      <div>
        <CopyButton text={text} />
      </div>
      <pre>{text}</pre>
    </div>
  );
}
