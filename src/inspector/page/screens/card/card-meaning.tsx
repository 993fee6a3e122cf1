import type { ComponentChildren } from "preact";
import type { AgentCard, AgentInterface, AgentSkill } from "../../../../protocol/model.js";
import { Badge } from "../../components/badge.js";
import { DataTree } from "../../components/data-tree.js";
import { safeLink } from "../../components/markdown.js";
import { schemeText } from "./scheme-text.js";

/** A card in words: what the agent is, can do, and demands. */
export function CardMeaning({ card }: { card: AgentCard }) {
  return (
    <>
      <Identity card={card} />
      <Interfaces interfaces={card.supportedInterfaces} />
      <Skills card={card} />
      <Security card={card} />
      <Extensions card={card} />
    </>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A link to a page, when it is one; its text otherwise. */
function Address({ url }: { url: string }) {
  const target = safeLink(url);
  if (target === undefined) return <span class="mono">{url}</span>;
  return (
    <a class="mono" href={target} target="_blank" rel="noopener noreferrer nofollow">
      {url}
    </a>
  );
}

function Identity({ card }: { card: AgentCard }) {
  const { name, version, description, provider, documentationUrl, iconUrl, capabilities } = card;
  const can: readonly (readonly [string, boolean | undefined])[] = [
    ["Streaming", capabilities.streaming],
    ["Push notifications", capabilities.pushNotifications],
    ["Extended card", capabilities.extendedAgentCard],
  ];
  return (
    <Section title={name}>
      <p class="text">{description}</p>
      <div class="row">
        {can.map(([text, has]) => (
          <Badge key={text} tone={has ? "good" : "quiet"}>
            {text}: {has ? "yes" : "no"}
          </Badge>
        ))}
      </div>
      <table>
        <tbody>
          <Fact name="Version of the agent">{version}</Fact>
          {provider && (
            <Fact name="Provider">
              {provider.organization} <Address url={provider.url} />
            </Fact>
          )}
          {documentationUrl && (
            <Fact name="Documentation">
              <Address url={documentationUrl} />
            </Fact>
          )}
          {iconUrl && (
            <Fact name="Icon (not loaded)">
              <Address url={iconUrl} />
            </Fact>
          )}
          <Fact name="Reads">{card.defaultInputModes.join(", ")}</Fact>
          <Fact name="Writes">{card.defaultOutputModes.join(", ")}</Fact>
        </tbody>
      </table>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

function Interfaces({ interfaces }: { interfaces: readonly AgentInterface[] }) {
  return (
    <Section title="Where it is reached">
      <table>
        <thead>
          <tr>
            <th scope="col">Binding</th>
            <th scope="col">Protocol version</th>
            <th scope="col">URL</th>
            <th scope="col">Tenant</th>
          </tr>
        </thead>
        <tbody>
          {interfaces.map((entry, index) => (
            <tr key={index}>
              <td>
                {entry.protocolBinding} {index === 0 && <Badge tone="accent">preferred</Badge>}
              </td>
              <td>{entry.protocolVersion}</td>
              <td class="mono">{entry.url}</td>
              <td>{entry.tenant || "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Skills({ card: { skills } }: { card: AgentCard }) {
  return (
    <Section title={`Skills (${skills.length})`}>
      {skills.length === 0 && <p class="hint">The card lists no skill.</p>}
      {skills.map((skill, index) => (
        <Skill key={index} skill={skill} />
      ))}
    </Section>
  );
}

function Skill({
  skill: { id, name, description, tags, examples, inputModes, outputModes },
}: {
  skill: AgentSkill;
}) {
  return (
    <article class="stack skill">
      <div class="row">
        <h3>{name}</h3>
        <span class="mono">{id}</span>
        {tags.map((tag, index) => (
          <Badge key={index}>{tag}</Badge>
        ))}
      </div>
      <p class="text">{description}</p>
      {examples && examples.length > 0 && (
        <ul>
          {examples.map((example, index) => (
            <li key={index} class="text">
              {example}
            </li>
          ))}
        </ul>
      )}
      {(inputModes ?? outputModes) && (
        <p class="hint">
          Reads {inputModes?.join(", ") || "what the card says"}; writes{" "}
          {outputModes?.join(", ") || "what the card says"}
        </p>
      )}
    </article>
  );
}

function Security({ card }: { card: AgentCard }) {
  const schemes = Object.entries(card.securitySchemes ?? {});
  const demanded = (card.securityRequirements ?? []).map(({ schemes: needed }) =>
    Object.keys(needed ?? {}).join(" and "),
  );
  return (
    <Section title="Authentication">
      {schemes.length === 0 && <p>None: the card declares no security schemes.</p>}
      {demanded.length > 0 && <p>Required of every caller: {demanded.join("; or ")}.</p>}
      {schemes.length > 0 && (
        <table>
          <tbody>
            {schemes.map(([name, scheme]) => (
              <Fact key={name} name={name}>
                {schemeText(scheme)}
              </Fact>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Extensions({ card: { capabilities } }: { card: AgentCard }) {
  const { extensions = [] } = capabilities;
  if (extensions.length === 0) return null;
  return (
    <Section title="Extensions">
      {extensions.map(({ uri = "", description, required, params }, index) => (
        <article key={index} class="stack skill">
          <div class="row">
            <span class="mono">{uri}</span>
            {required && <Badge tone="warn">required</Badge>}
          </div>
          {description && <p class="text">{description}</p>}
          {params && <DataTree label={`Parameters of ${uri}`} value={params} />}
        </article>
      ))}
    </Section>
  );
}
