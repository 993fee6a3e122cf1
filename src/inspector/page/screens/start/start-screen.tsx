import { useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { TextField } from "../../components/field.js";
import { goTo, routeTo } from "../../route.js";
import { agentUrl } from "../../session/agent-url.js";
import { currentAgent, openAgentAt, recentUrls } from "../../session/current-agent.js";
import { pageServer } from "../../session/page-server.js";
import { startUrls } from "../../session/start-target.js";
import { completeUrl } from "./complete-url.js";

/** The first screen: says what to do, and opens an agent. */
export function StartScreen() {
  const server = pageServer.value;
  const isMounted = server.status === "ready" && server.session.mode === "mounted";
  const urls = startUrls();
  const title = isMounted ? "Agents of this server" : "Named on the command line";
  const offered = <Suggestions title={title} urls={urls} />;
  return (
    <div class="stack welcome">
      <header class="stack">
        <h1>Open an agent</h1>
        <p>
          {isMounted ? "Choose an agent of this server. " : "Enter the URL of an agent that speaks A2A. "}
          The inspector reads its card, which says what the agent can do, and then lets you call it and watch
          every exchange.
        </p>
      </header>
      <OpenedAgent />
      {isMounted && offered}
      <AddressForm key={agentUrl.value} />
      <OpenFailure />
      {!isMounted && offered}
      <Suggestions title="Opened in this tab" urls={recentUrls.value.filter((url) => !urls.includes(url))} />
      <Explanation />
    </div>
  );
}

/** What to do with the agent that is open: the command line may have opened it. */
function OpenedAgent() {
  const agent = currentAgent.value;
  if (agent.status !== "open") return null;
  return (
    <Notice tone="good">
      <strong>{agent.card.name || "The agent"} is open.</strong>
      <span>
        Read its <a href={routeTo("card")}>card</a>, start a <a href={routeTo("talk")}>conversation</a>, or
        call one of its <a href={routeTo("operations")}>operations</a>.
      </span>
    </Notice>
  );
}

/** Opens an agent, and shows its card if it could be opened. */
async function openAndShow(url: string): Promise<void> {
  await openAgentAt(url);
  if (currentAgent.value.status === "open") goTo("card");
}

function AddressForm() {
  const current = currentAgent.value;
  const [text, setText] = useState("url" in current ? current.url : "");
  const [problem, setProblem] = useState<string>();
  const submit = (event: Event) => {
    event.preventDefault();
    const url = completeUrl(text);
    setProblem(
      url === undefined ? "This is not a URL. An example: https://agents.example.com/writer" : undefined,
    );
    if (url !== undefined) void openAndShow(url);
  };
  const isOpening = current.status === "opening";
  return (
    <form class="address" onSubmit={submit} noValidate>
      <TextField
        label="URL of the agent, or of its card"
        value={text}
        onValue={setText}
        problem={problem}
        placeholder="http://127.0.0.1:4000"
        type="url"
      />
      <Button look="primary" type="submit" disabled={isOpening}>
        {isOpening ? "Opening …" : "Open"}
      </Button>
    </form>
  );
}

function OpenFailure() {
  const agent = currentAgent.value;
  if (agent.status !== "failed") return null;
  return (
    <Notice tone="bad">
      <strong>The agent could not be opened.</strong>
      <span class="text">{agent.problem}</span>
      <span>
        The screen <a href={routeTo("card")}>Card</a> shows what was found at each URL of a card, and{" "}
        <a href={routeTo("wire")}>Wire</a> every request that was sent.
      </span>
    </Notice>
  );
}

function Suggestions({ title, urls }: { title: string; urls: readonly string[] }) {
  if (urls.length === 0) return null;
  return (
    <section class="stack">
      <h2>{title}</h2>
      <ul class="recent">
        {urls.map((url) => (
          <li key={url}>
            <Button onClick={() => void openAndShow(url)}>
              <span class="mono">{url}</span>
              <span>Open</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Explanation() {
  const server = pageServer.value;
  if (server.status !== "ready") return null;
  const { mode, allowsPrivate } = server.session;
  return (
    <section class="stack">
      <h2>Good to know</h2>
      <ul>
        {mode === "local" && startUrls().length === 0 && (
          <li>
            No agent at hand? <code>npx a2a-parley serve</code> starts a mock agent, and{" "}
            <code>npx a2a-parley inspect localhost:41241</code> opens it here.
          </li>
        )}
        <li>Credentials stay in the memory of this page. They are never in what you copy or save.</li>
        <li>Nothing that an agent sends is run: text is shown as text, and scripts are files to save.</li>
        {mode === "mounted" && (
          <li>This page belongs to a server and calls the agents of that server only.</li>
        )}
        {mode === "local" && !allowsPrivate && (
          <li>
            Calls to private networks and to this machine are refused, except to the agent that the command
            line names. <code>parley inspect --allow-private</code> permits them.
          </li>
        )}
        <li>
          Press <kbd>?</kbd> for the keyboard shortcuts.
        </li>
      </ul>
    </section>
  );
}
