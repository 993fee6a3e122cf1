import { useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { routeTo } from "../../route.js";
import { currentAgent, problemOf } from "../../session/current-agent.js";
import { differenceBetween } from "./card-difference.js";

type Read = { readonly card: object } | { readonly problem: string };

/** The card that the agent shows to callers whom it knows. */
export function ExtendedCardPanel({ publicCard }: { publicCard: object }) {
  const [read, setRead] = useState<Read>();
  const agent = currentAgent.value;
  if (agent.status !== "open") return <Notice tone="bad">The agent is not open.</Notice>;
  const { client, card } = agent;
  const fetchCard = () =>
    client.getExtendedAgentCard().then(
      (extended) => setRead({ card: extended }),
      (error: unknown) => setRead({ problem: problemOf(error) }),
    );
  return (
    <section class="panel">
      <p>
        An agent may tell more about itself to callers whom it knows. Enter your{" "}
        <a href={routeTo("credentials")}>credentials</a> first if it asks for them.
      </p>
      {!card.capabilities.extendedAgentCard && (
        <p class="hint">The public card says that there is no extended card. You can ask all the same.</p>
      )}
      <Button look="primary" onClick={() => void fetchCard()}>
        Ask for the extended card
      </Button>
      {read !== undefined && "problem" in read && <Notice tone="bad">{read.problem}</Notice>}
      {read !== undefined && "card" in read && (
        <>
          <h2>Different from the public card</h2>
          <Additions before={publicCard} after={read.card} />
          <h2>The whole extended card</h2>
          <DataTree label="The extended card" value={read.card} />
        </>
      )}
    </section>
  );
}

function Additions({ before, after }: { before: object; after: object }) {
  const changes = differenceBetween(before, after).filter(({ kind }) => kind !== "removed");
  if (changes.length === 0) return <p>Nothing: it says what the public card says.</p>;
  return (
    <ul>
      {changes.map(({ path, kind }) => (
        <li key={path}>
          {kind}: <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}
