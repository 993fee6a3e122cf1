import { useState } from "preact/hooks";
import { Badge, type Tone } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { Dialog } from "../../components/dialog.js";
import { VirtualList } from "../../components/virtual-list.js";
import { type Happening, happeningsOf } from "../../timeline/happenings.js";
import { durationText } from "../../timeline/time-scale.js";
import type { ChartTurn } from "./timeline-chart.js";

/** Height of a row in pixels. */
const ROW = 34;

const kinds: Readonly<Record<Happening["kind"], readonly [text: string, tone: Tone]>> = {
  sent: ["Sent", "accent"],
  line: ["Line", "quiet"],
  event: ["Event", "good"],
  heartbeat: ["Heartbeat", "quiet"],
  cut: ["Broken", "bad"],
  gap: ["Gap", "warn"],
  end: ["End", "accent"],
};

/** Everything that happened in a turn, as a list of any length. */
export function HappeningList({ turn, timeline }: ChartTurn) {
  const [shown, show] = useState<Happening>();
  const [isShort, setShort] = useState(false);
  const all = happeningsOf(turn, timeline);
  const rows = isShort
    ? all.filter(({ kind, event }) => kind !== "heartbeat" && !event?.artifactUpdate)
    : all;
  return (
    <>
      <label class="row">
        <input type="checkbox" checked={isShort} onChange={() => setShort(!isShort)} />
        Without heartbeats and chunks of artifacts
      </label>
      <VirtualList
        label={rows.length === 1 ? "1 thing that happened" : `${rows.length} things that happened`}
        rows={rows}
        rowHeight={ROW}
        height={420}
        followsEnd={turn.endedAt === undefined}
        row={(each, index) => (
          <div class="happening">
            <span class="mono when">+{durationText(each.at - turn.startedAt)}</span>
            <span class="mono when hint">
              {index > 0 && `Δ ${durationText(each.at - (rows[index - 1]?.at ?? 0))}`}
            </span>
            <Badge tone={kinds[each.kind][1]}>{kinds[each.kind][0]}</Badge>
            <span class="mono generation">{each.generation !== undefined && `#${each.generation}`}</span>
            <span class="what">{each.text}</span>
            {each.event !== undefined && (
              <Button isSmall look="plain" aria-label={`Show event ${index + 1}`} onClick={() => show(each)}>
                Show
              </Button>
            )}
          </div>
        )}
      />
      {shown?.event !== undefined && (
        <Dialog title={shown.text.slice(0, 60)} onClose={() => show(undefined)}>
          <div class="scroll">
            <DataTree value={shown.event} label="The event" />
          </div>
        </Dialog>
      )}
    </>
  );
}
