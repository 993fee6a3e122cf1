import { parseUrl } from "../../net/url.js";
import type { AgentCard, AgentSkill } from "../../protocol/model.js";
import type { BodyReply } from "../host.js";
import { type CalledAgent, callExamples } from "./call-examples.js";
import { type Html, html, pageReply } from "./html.js";
import { alternatives, describeScheme, noteOf } from "./security-words.js";

/** The data for the page of an agent. */
export interface PageFacts {
  /** The public card, unsigned, with URLs that the reader can reach. */
  readonly card: AgentCard;
  /** Absolute URL of the agent. */
  readonly url: string;
  /** Documents of the agent and the server, in the order of the page: absolute URL and description. */
  readonly links: readonly (readonly [url: string, about: string])[];
  /** Returns the version of the server that serves an interface of the card: cards list a dialect under the version that it belongs to. */
  versionOf(protocolVersion: string): string;
}

/** The page that a browser gets at the URL of an agent: what an agent is, how to call it, and the content of its card (§4.4.1). */
export async function agentPage({ card, url, links, versionOf }: PageFacts): Promise<BodyReply> {
  const target = await targetOf(card, versionOf);
  const sections = [
    callSection({ card, url, target }),
    skillsSection(card),
    capabilitiesSection(card),
    accessSection(card),
    linksSection(card, links),
  ];
  return pageReply(
    card.name,
    html`${introduction(card)}
${sections}`,
  );
}

/** The preferred interface that curl can call. */
async function targetOf(card: AgentCard, versionOf: PageFacts["versionOf"]): Promise<CalledAgent["target"]> {
  const address = card.supportedInterfaces.find(({ protocolBinding }) =>
    ["JSONRPC", "HTTP+JSON"].includes(protocolBinding),
  );
  if (address === undefined) return undefined;
  try {
    // Imported here, because a server needs the code that writes requests only for this page.
    const { loadClientCodec } = await import("../../versions/version-codec.js");
    return { address, codec: await loadClientCodec(versionOf(address.protocolVersion)) };
  } catch {
    // The author of the card has listed an interface of a version that this package does not know.
    return undefined;
  }
}

function introduction({ name, description, version, provider, documentationUrl }: AgentCard): Html {
  return html`<p class="kind">A2A agent</p>
<h1>${name}</h1>
<p class="lead">${description}</p>
<p class="quiet">Version ${version}${
    provider !== undefined && html` · by ${link(provider.url, provider.organization)}`
  }${documentationUrl !== undefined && html` · ${link(documentationUrl, "Documentation")}`}</p>
<p>This is the address of an agent: a program that does work for other programs and for people. You call it over
${link("https://a2a-protocol.org", "A2A")} (Agent2Agent), an open protocol on top of HTTP. It answers with a message, or with a task that you can
follow.</p>`;
}

function callSection(agent: CalledAgent): Html {
  const { curl, parley, typeScript } = callExamples(agent);
  const isOpen = alternatives(agent.card).length === 0;
  return html`<h2>Call it</h2>
${
  !isOpen &&
  html`<p>Put your credentials in the variables that begin with <code>$</code>, or in the files that are named.</p>
`
}${
  curl !== undefined &&
  html`<h3>With curl</h3>
${code(curl)}
`
}<h3>With parley</h3>
<p>The command line for A2A agents. It needs Node, and nothing has to be installed:</p>
${code(parley)}
<h3>In TypeScript or JavaScript</h3>
<p>After <code>npm install a2a-parley</code>:</p>
${code(typeScript)}
`;
}

function skillsSection({ skills }: AgentCard): Html {
  if (skills.length === 0) return html``;
  return html`<h2>What it can do</h2>
${skills.map(skill)}`;
}

function skill({
  id,
  name,
  description,
  tags,
  examples = [],
  inputModes = [],
  outputModes = [],
}: AgentSkill): Html {
  return html`<h3>${name}</h3>
<p>${description}</p>
${
  examples.length > 0 &&
  html`<p>You could ask:</p>
<ul>${examples.map((example) => html`<li>${example}</li>`)}</ul>
`
}<p class="quiet">Skill <code>${id}</code>${tags.length > 0 && ` · ${tags.join(", ")}`}${
    inputModes.length > 0 && ` · takes ${inputModes.join(", ")}`
  }${outputModes.length > 0 && ` · gives ${outputModes.join(", ")}`}</p>
`;
}

function capabilitiesSection({ capabilities, defaultInputModes, defaultOutputModes }: AgentCard): Html {
  const { streaming, pushNotifications, extendedAgentCard, extensions = [] } = capabilities;
  const rows: readonly (readonly [name: string, about: string])[] = [
    ["Streaming", streaming ? "Yes. Callers can watch a task while the agent works on it." : "No."],
    [
      "Push notifications",
      pushNotifications ? "Yes. The agent can call a webhook when a task changes." : "No.",
    ],
    [
      "Extended card",
      extendedAgentCard ? "Yes. Callers who have identified themselves can read more about it." : "No.",
    ],
    ["Takes", defaultInputModes.join(", ")],
    ["Gives", defaultOutputModes.join(", ")],
  ];
  return html`<h2>Capabilities</h2>
<dl>${rows.map(([name, about]) => html`<dt>${name}</dt><dd>${about}</dd>`)}${extensions.map(
    ({ uri = "", description, required }) =>
      html`<dt>Extension${required && " (required)"}</dt><dd>${link(uri, uri)}${description && `: ${description}`}</dd>`,
  )}</dl>
`;
}

function accessSection(card: AgentCard): Html {
  const schemes = Object.entries(card.securitySchemes ?? {});
  const needed = alternatives(card).map((names) => names.join(" and "));
  return html`<h2>Who may call it</h2>
<p>${needed.length === 0 ? "Anyone: no credentials are needed." : `Callers who present ${needed.join(", or ")}.`}</p>
${
  schemes.length > 0 &&
  html`<dl>${schemes.map(([name, scheme]) => {
    const note = noteOf(scheme);
    return html`<dt>${name}</dt><dd>${describeScheme(scheme)}${note !== undefined && ` ${note}`}</dd>`;
  })}</dl>
`
}`;
}

function linksSection({ supportedInterfaces }: AgentCard, links: PageFacts["links"]): Html {
  return html`<h2>Addresses</h2>
<ul>${supportedInterfaces.map(
    ({ url, protocolBinding, protocolVersion }) =>
      html`<li>${protocolBinding}, version ${protocolVersion}: <code>${url}</code></li>`,
  )}</ul>
<h2>For programs</h2>
<ul>${links.map(([url, about]) => html`<li>${link(url, about)}</li>`)}</ul>`;
}

/** An agent in the list of a server. */
export interface ListedAgent {
  readonly name: string;
  readonly description: string;
  readonly url: string;
}

/** The page at the root of a server that has no agent there. */
export function listPage(agents: readonly ListedAgent[]): BodyReply {
  return pageReply(
    "A2A agents",
    html`<p class="kind">A2A server</p>
<h1>Agents</h1>
<p>This server has ${agents.length === 1 ? "one agent: a program that does" : `${agents.length} agents: programs that do`} work for other
programs and for people. You call agents over ${link("https://a2a-protocol.org", "A2A")} (Agent2Agent), an open protocol on top of
HTTP. The page of an agent says what it does and how to call it.</p>
${agents.map(
  ({ name, description, url }) => html`<h2>${link(url, name)}</h2>
<p>${description}</p>
`,
)}`,
  );
}

/** A link if the text is an http or https URL; otherwise the text alone, because a card may contain any text. */
function link(url: string, text: string): Html {
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return html`${text}`;
  return html`<a href="${parsed.href}" rel="noreferrer">${text}</a>`;
}

/** A block of text that the reader can copy. */
function code(text: string): Html {
  return html`<pre><code>${text}</code></pre>`;
}
