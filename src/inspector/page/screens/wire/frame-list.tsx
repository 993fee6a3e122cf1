import { useState } from "preact/hooks";
import { DataTree } from "../../components/data-tree.js";
import { ScrollText } from "../../components/scroll-text.js";
import { VirtualList } from "../../components/virtual-list.js";
import type { WireFrame } from "../../wire/wire-frame.js";

/** Height of a frame in the list, in pixels. */
const ROW = 30;

/** Properties of {@link FrameList}. */
export interface FrameListProps {
  readonly frames: readonly WireFrame[];
  /** How many have arrived, kept or not. */
  readonly count: number;
}

/** The frames of a stream with their ids and times, and one of them in full. */
export function FrameList({ frames, count }: FrameListProps) {
  const [chosen, choose] = useState<number>();
  const frame = frames[chosen ?? frames.length - 1];
  if (frame === undefined) return <p>No frame has arrived yet.</p>;
  return (
    <>
      {frames.length < count && (
        <p class="hint">
          Only the first {frames.length.toLocaleString("en")} of {count.toLocaleString("en")} frames were
          kept.
        </p>
      )}
      <VirtualList
        label="Frames"
        rows={frames}
        rowHeight={ROW}
        height={ROW * 9}
        followsEnd={chosen === undefined}
        row={(each, index) => (
          <FrameRow
            frame={each}
            before={frames[index - 1]}
            isChosen={each === frame}
            onChoose={() => choose(index)}
          />
        )}
      />
      <h3>Frame {frame.index + 1}</h3>
      <ScrollText label="Frame as it came" text={frame.raw} />
      {frame.isCut ? (
        <p class="hint">Only the first 8 MiB of this frame were kept, so its data is not shown as JSON.</p>
      ) : (
        <FrameData data={frame.data} />
      )}
    </>
  );
}

interface FrameRowProps {
  readonly frame: WireFrame;
  readonly before: WireFrame | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function FrameRow({ frame, before, isChosen, onChoose }: FrameRowProps) {
  const { index, at, id, event, data } = frame;
  const since = Math.round(at - (before?.at ?? 0));
  return (
    <button type="button" class="frame line" aria-pressed={isChosen} onClick={onChoose}>
      <span class="number">{index + 1}</span>
      <span class="number">{Math.round(at)} ms</span>
      <span class="number hint">+{since}</span>
      <span>{id === undefined ? "no id" : `id ${id}`}</span>
      {event && <span>{event}</span>}
      <span class="line">{data ?? "heartbeat or comment"}</span>
    </button>
  );
}

function FrameData({ data }: { data: string | undefined }) {
  if (data === undefined)
    return <p class="hint">A comment: it keeps the connection alive and carries no event.</p>;
  try {
    return <DataTree label="Data of the frame" value={JSON.parse(data)} />;
  } catch {
    return <p class="problem">The data of this frame is not JSON.</p>;
  }
}
