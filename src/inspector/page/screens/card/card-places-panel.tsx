import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { Dialog } from "../../components/dialog.js";
import type { CardPlace } from "./card-places.js";
import { cardState } from "./card-state.js";

/** What each place answered, without a version and in every version. */
export function CardPlaces() {
  const [shown, show] = useState<CardPlace>();
  const places = cardState.value?.places ?? [];
  return (
    <section class="panel">
      <p>
        Clients look for a card at these URLs, one after the other. A server may answer in the form of the
        version that a request names.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">URL</th>
            <th scope="col">Version asked for</th>
            <th scope="col">Answer</th>
            <th scope="col">Written for</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <PlaceRow key={`${place.url} ${place.version}`} place={place} onShow={() => show(place)} />
          ))}
        </tbody>
      </table>
      {shown?.value && (
        <Dialog title={shown.url} onClose={() => show(undefined)}>
          <div class="scroll">
            <DataTree label="The card as JSON" value={shown.value} />
          </div>
        </Dialog>
      )}
    </section>
  );
}

function PlaceRow({ place, onShow }: { place: CardPlace; onShow: () => void }) {
  const { url, version, value, problem } = place;
  return (
    <tr>
      <td class="mono">{url}</td>
      <td>{version ?? "none"}</td>
      <td>{value ? <Badge tone="good">Card</Badge> : <Badge>{problem}</Badge>}</td>
      <td>
        {value && (
          <span class="row">
            {formOf(value)}
            <Button isSmall onClick={onShow}>
              Show
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

/** Which clients understand the members that a card has. */
function formOf(card: object): string {
  const isNew = "supportedInterfaces" in card;
  const isOld = "protocolVersion" in card || "url" in card;
  if (isNew && isOld) return "Current and earlier clients";
  return isNew ? "Current clients" : "Earlier clients";
}
