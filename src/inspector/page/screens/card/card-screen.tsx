import { useEffect, useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { CopyButton } from "../../components/copy-button.js";
import { DataTree } from "../../components/data-tree.js";
import { download } from "../../components/download.js";
import { Choice } from "../../components/field.js";
import { Tabs } from "../../components/tabs.js";
import { agentUrl } from "../../session/agent-url.js";
import { currentAgent } from "../../session/current-agent.js";
import { CardChecks } from "./card-checks.js";
import { CardDifference } from "./card-difference-panel.js";
import { CardMeaning } from "./card-meaning.js";
import type { CardPlace } from "./card-places.js";
import { CardPlaces } from "./card-places-panel.js";
import { CardSignatures } from "./card-signatures.js";
import { cardState, checkedPlace, foundPlace, readCards } from "./card-state.js";
import { ExtendedCardPanel } from "./extended-card.js";

const tabs = [
  { id: "meaning", label: "What it says" },
  { id: "json", label: "JSON" },
  { id: "checks", label: "Checks" },
  { id: "places", label: "Places and versions" },
  { id: "signatures", label: "Signatures" },
  { id: "extended", label: "Extended card" },
  { id: "difference", label: "Changes" },
];

/** The card of the agent: what it says, whether it is right, and where it is. */
export function CardScreen() {
  const [selected, select] = useState("meaning");
  const url = agentUrl.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the places are asked once for each agent
  useEffect(() => {
    if (cardState.value?.agent !== url) void readCards();
  }, [url]);
  const state = cardState.value?.agent === url ? cardState.value : undefined;
  const place = foundPlace(state);
  return (
    <>
      <header class="row end">
        <h1>Card</h1>
        <Button onClick={() => void readCards()}>Read it again</Button>
      </header>
      <p>
        An agent describes itself in its card: what it can do, where it is reached, and how callers
        authenticate.
      </p>
      {state === undefined && <Notice>Reading the card …</Notice>}
      {state !== undefined && (
        <Tabs label="Views of the card" tabs={tabs} selected={selected} onSelect={select}>
          <Panel selected={selected} place={place} />
        </Tabs>
      )}
    </>
  );
}

function Panel({ selected, place }: { selected: string; place: CardPlace | undefined }) {
  const agent = currentAgent.value;
  if (selected === "places") return <CardPlaces />;
  if (place?.value === undefined)
    return (
      <Notice tone="bad">
        No card was found. The tab “Places and versions” shows what each URL answered.
      </Notice>
    );
  if (selected === "json") return <CardJson />;
  if (selected === "checks") return <CardChecks place={checkedPlace(cardState.value) ?? place} />;
  if (selected === "signatures") return <CardSignatures value={place.value} />;
  if (selected === "difference") return <CardDifference value={place.value} />;
  if (selected === "extended") return <ExtendedCardPanel publicCard={place.value} />;
  if (agent.status === "open") return <CardMeaning card={agent.card} />;
  return (
    <Notice tone="bad">
      <strong>The card was found, but it cannot be used.</strong>
      <span class="text">{agent.status === "failed" ? agent.problem : "The agent is being opened."}</span>
    </Notice>
  );
}

function CardJson() {
  const [chosen, choose] = useState(0);
  const found = (cardState.value?.places ?? []).filter(({ value }) => value !== undefined);
  const value = found[chosen]?.value;
  const text = JSON.stringify(value, undefined, 2);
  const options = found.map(({ url, version }, index) => {
    const name = `${url}${version === undefined ? "" : `, asked for in version ${version}`}`;
    return [String(index), name] as const;
  });
  return (
    <div class="panel">
      <Choice
        label="The card at"
        value={String(chosen)}
        options={options}
        onValue={(index) => choose(Number(index))}
      />
      <div class="row">
        <CopyButton text={text} />
        <Button
          isSmall
          onClick={() => download({ content: text, mediaType: "application/json", name: "agent-card.json" })}
        >
          Save
        </Button>
      </div>
      <DataTree label="The card as JSON" value={value} key={chosen} />
    </div>
  );
}
