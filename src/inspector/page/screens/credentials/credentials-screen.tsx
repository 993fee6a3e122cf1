import type { AgentCard } from "../../../../protocol/model.js";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { agentUrl } from "../../session/agent-url.js";
import { currentAgent, openAgentAt } from "../../session/current-agent.js";
import { allowedOrigins, forgetCredentials, heldCredentials } from "../../session/held-credentials.js";
import { otherOrigins } from "./other-origins.js";
import { SchemePanel } from "./scheme-panel.js";

/** Credentials for the schemes of the card. */
export function CredentialsScreen() {
  const agent = currentAgent.value;
  return (
    <>
      <header class="row end">
        <h1>Credentials</h1>
        {heldCredentials.value.size > 0 && <Button onClick={() => void forget()}>Forget all</Button>}
      </header>
      <p>
        Credentials stay in the memory of this page until you close it. They are sent to this agent only, and
        are never in what you copy or save.
      </p>
      <KnownCard agent={agent} />
    </>
  );
}

async function forget(): Promise<void> {
  forgetCredentials();
  if (agentUrl.value !== undefined) await openAgentAt(agentUrl.value);
}

function KnownCard({ agent }: { agent: typeof currentAgent.value }) {
  if (agent.status === "failed")
    return (
      <>
        <Notice tone="bad">
          <strong>The agent could not be opened.</strong>
          <span class="text">{agent.problem}</span>
        </Notice>
        <div>
          <Button onClick={() => void forget()}>Forget all credentials and open it again</Button>
        </div>
        {agent.card !== undefined && <Schemes card={agent.card} url={agent.url} />}
      </>
    );
  // While it is opened again, the form that was sent stays, and the focus in it.
  if (!("card" in agent) || agent.card === undefined) return <Notice>The agent is being opened.</Notice>;
  return <Schemes card={agent.card} url={agent.url} />;
}

function Schemes({ card, url }: { card: AgentCard; url: string }) {
  const schemes = Object.entries(card.securitySchemes ?? {});
  if (schemes.length === 0)
    return <Notice>The card declares no security schemes: the agent answers every caller.</Notice>;
  return (
    <>
      <Demands card={card} />
      <Origins card={card} url={url} />
      {schemes.map(([name, scheme]) => (
        <SchemePanel key={name} name={name} scheme={scheme} scopes={scopesOf(card, name)} />
      ))}
    </>
  );
}

/** Scopes that the card requires for a scheme. */
function scopesOf({ securityRequirements = [] }: AgentCard, name: string): readonly string[] {
  return [...new Set(securityRequirements.flatMap(({ schemes }) => schemes?.[name]?.list ?? []))];
}

function Demands({ card: { securityRequirements = [] } }: { card: AgentCard }) {
  const held = heldCredentials.value;
  if (securityRequirements.length === 0)
    return <p>The card requires none of these of every caller. Some operations or skills may.</p>;
  return (
    <section class="panel">
      <h2>Required of every caller</h2>
      {securityRequirements.length > 1 && <p>One of these lines is enough.</p>}
      <ul class="recent">
        {securityRequirements.map(({ schemes = {} }, index) => (
          <li key={index} class="row">
            {Object.keys(schemes).map((name) => (
              <Badge key={name} tone={held.has(name) ? "good" : "warn"}>
                {name}: {held.has(name) ? "entered" : "missing"}
              </Badge>
            ))}
            {Object.keys(schemes).length === 0 && (
              <span>Nothing: the agent answers callers without credentials.</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Interfaces on other origins get credentials only if the person says so: a card cannot decide it (§13.4). */
function Origins({ card, url }: { card: AgentCard; url: string }) {
  const others = otherOrigins(card, url);
  if (others.length === 0) return null;
  const toggle = (origin: string) => {
    const { value } = allowedOrigins;
    allowedOrigins.value = value.includes(origin)
      ? value.filter((one) => one !== origin)
      : [...value, origin];
    if (heldCredentials.value.size > 0) void openAgentAt(url);
  };
  return (
    <section class="panel">
      <h2>Other addresses in the card</h2>
      <p>The card leads to other servers. They get your credentials only if you allow it.</p>
      {others.map((origin) => (
        <label key={origin} class="row">
          <input
            type="checkbox"
            checked={allowedOrigins.value.includes(origin)}
            onChange={() => toggle(origin)}
          />
          Send credentials to <span class="mono">{origin}</span>
        </label>
      ))}
    </section>
  );
}
