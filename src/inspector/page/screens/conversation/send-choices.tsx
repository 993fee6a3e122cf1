import { signal } from "@preact/signals";
import type { AgentCard, AgentInterface } from "../../../../protocol/model.js";
import { Choice } from "../../components/field.js";
import { agentUrl } from "../../session/agent-url.js";
import type { AnswerMode } from "../../talk/turn.js";

/** How messages of this page are sent. */
export const answerMode = signal<AnswerMode>("stream");

/** Position in the card of the interface that messages go over; undefined for the one that the client chooses. */
const interfaceIndex = signal<number | undefined>(undefined);

// The position is one in the card of an agent.
agentUrl.subscribe(() => {
  interfaceIndex.value = undefined;
});

/** The interface that messages go over; undefined for the one that the client chooses. */
export function chosenInterface({ supportedInterfaces }: AgentCard): AgentInterface | undefined {
  return interfaceIndex.value === undefined ? undefined : supportedInterfaces[interfaceIndex.value];
}

const modes = [
  ["stream", "As it comes (stream)"],
  ["wait", "When it is complete"],
  ["return", "At once, while the task goes on"],
] as const;

/** Choices of how messages are sent. */
export function SendChoices({ card }: { card: AgentCard }) {
  return (
    <>
      <Choice
        label="Answer"
        value={answerMode.value}
        options={modes}
        onValue={(mode) => {
          answerMode.value = mode as AnswerMode;
        }}
      />
      <Choice
        label="Interface"
        value={String(interfaceIndex.value ?? "")}
        options={[
          ["", "Chosen by the client"],
          ...card.supportedInterfaces.map(
            (entry, index) =>
              [String(index), `${entry.protocolBinding} ${entry.protocolVersion}, ${entry.url}`] as const,
          ),
        ]}
        onValue={(text) => {
          interfaceIndex.value = text === "" ? undefined : Number(text);
        }}
      />
    </>
  );
}
