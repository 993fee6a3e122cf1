import { useRef, useState } from "preact/hooks";
import type { IssuerEndpoints } from "../../../../client/auth/issuer-metadata.js";
import type { SecurityScheme } from "../../../../protocol/model.js";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { CopyButton } from "../../components/copy-button.js";
import { TextField } from "../../components/field.js";
import { safeLink } from "../../components/markdown.js";
import { Tabs } from "../../components/tabs.js";
import { agentUrl } from "../../session/agent-url.js";
import { openAgentAt, problemOf } from "../../session/current-agent.js";
import { dropCredential, heldCredentials, holdCredential } from "../../session/held-credentials.js";
import { schemeText } from "../card/scheme-text.js";
import { IssuerPanel } from "./issuer-panel.js";
import { missingNeed } from "./missing-need.js";
import { type Entered, formsOf, type SchemeForm } from "./scheme-forms.js";
import { redirectUri, signInNow, signInStep } from "./sign-in.js";

/** Properties of a {@link SchemePanel}. */
export interface SchemePanelProps {
  readonly name: string;
  readonly scheme: SecurityScheme;
  /** Scopes that the card demands. */
  readonly scopes: readonly string[];
}

/** A scheme of the card, and the ways to authenticate by it. */
export function SchemePanel(props: SchemePanelProps) {
  const { name, scheme } = props;
  const [issuer, setIssuer] = useState<IssuerEndpoints>();
  const { openIdConnectUrl } = scheme.openIdConnectSecurityScheme ?? {};
  const forms = formsOf(scheme, issuer);
  const [selected, select] = useState("0");
  const held = heldCredentials.value.get(name);
  const form = forms[Number(selected)];
  return (
    <section class="panel" aria-label={`Scheme ${name}`}>
      <div class="row">
        <h2>{name}</h2>
        {held !== undefined && <Badge tone="good">{held.description}</Badge>}
        {held !== undefined && (
          <Button isSmall onClick={() => void drop(name)}>
            Forget
          </Button>
        )}
      </div>
      <p>{schemeText(scheme)}.</p>
      {openIdConnectUrl !== undefined && issuer === undefined && (
        <IssuerPanel url={openIdConnectUrl} onRead={setIssuer} />
      )}
      {form === undefined && <Notice tone="warn">This page cannot enter credentials of this kind.</Notice>}
      {form !== undefined && forms.length === 1 && <WayForm {...props} form={form} />}
      {form !== undefined && forms.length > 1 && (
        <Tabs
          label="Ways to authenticate"
          tabs={forms.map(({ title }, index) => ({ id: String(index), label: title }))}
          selected={selected}
          onSelect={select}
        >
          <WayForm key={selected} {...props} form={form} />
        </Tabs>
      )}
    </section>
  );
}

async function drop(name: string): Promise<void> {
  dropCredential(name);
  await reopen();
}

/** The client is made anew with the credentials. */
async function reopen(): Promise<void> {
  if (agentUrl.value !== undefined) await openAgentAt(agentUrl.value);
}

function WayForm({ name, scheme, scopes, form }: SchemePanelProps & { readonly form: SchemeForm }) {
  const given = Object.fromEntries(form.fields.map((field) => [field.name, field.value ?? ""]));
  const [entered, setEntered] = useState<Entered>({
    ...given,
    ...("scopes" in given && { scopes: scopes.join(" ") }),
  });
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const missing = form.fields.filter((field) => !field.isOptional && !entered[field.name]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const provide = form.provide(entered);
    const abort = new AbortController();
    running.current = abort;
    setRunning(true);
    setProblem(undefined);
    try {
      if (form.fetchesToken) await signInNow({ name, scheme, scopes, provide, cancel: abort.signal });
      holdCredential(name, { description: form.fetchesToken ? "Signed in" : "Entered", provide });
      await reopen();
    } catch (error) {
      setProblem(abort.signal.aborted ? "You have stopped it." : problemOf(error));
    }
    setRunning(false);
  };
  const cannot = missingNeed(form);
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {form.explanation !== undefined && cannot === undefined && <p>{form.explanation}</p>}
      {form.needs === "redirect" && redirectUri() !== undefined && (
        <p class="hint">
          Register this redirect URI with the issuer: <code>{redirectUri()}</code>
        </p>
      )}
      {form.fields.map((field) => (
        <TextField
          key={field.name}
          label={field.isOptional ? `${field.label} (optional)` : field.label}
          hint={field.hint}
          type={field.isSecret ? "password" : "text"}
          value={entered[field.name] ?? ""}
          onValue={(value) => setEntered({ ...entered, [field.name]: value })}
        />
      ))}
      {cannot !== undefined && <Notice tone="warn">{cannot}</Notice>}
      <div class="row">
        <Button
          type="submit"
          look="primary"
          disabled={isRunning || missing.length > 0 || cannot !== undefined}
        >
          {form.fetchesToken ? "Sign in" : "Use"}
        </Button>
        {isRunning && <Button onClick={() => running.current?.abort(new Error("stopped"))}>Stop</Button>}
      </div>
      {isRunning && <Step />}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </form>
  );
}

/** What the person has to do now. */
function Step() {
  const step = signInStep.value;
  if (step === undefined) return null;
  const page = step.kind === "browser" ? step.page : step.prompt.verificationUri;
  const link = safeLink(page);
  return (
    <Notice>
      {step.kind === "device" && (
        <span class="row">
          Enter this code: <strong class="mono">{step.prompt.userCode}</strong>
          <CopyButton text={step.prompt.userCode} />
        </span>
      )}
      {link === undefined ? (
        <span class="mono">{page}</span>
      ) : (
        <a href={link} target="_blank" rel="noopener noreferrer">
          {step.kind === "device" ? page : "Open the page to sign in, if no window has opened"}
        </a>
      )}
      <span>Waiting until you have signed in …</span>
    </Notice>
  );
}
