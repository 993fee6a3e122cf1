import { decide } from "../../async/decision.js";
import { describeFault } from "../../json/violation.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { type AgentCard, isAgentCard } from "../../protocol/model.js";
import type { EngineOptions } from "../engine-options.js";

/**
 * GetExtendedAgentCard (§3.1.11): the public card with the members of `extendedCard` in place of its own.
 * @throws A2AError UNAUTHENTICATED for anonymous callers, unless the agent allows them; EXTENDED_AGENT_CARD_NOT_CONFIGURED if
 * the agent has no extended card for this caller; INVALID_AGENT_RESPONSE if the result is not a valid card. If the function `extendedCard`
 * fails: its own A2AError, UNAVAILABLE if it does not answer in time, otherwise INTERNAL_ERROR
 */
export async function getExtendedAgentCard(
  { agent, cardAt, logger, hookTimeout }: EngineOptions,
  call: CallContext,
): Promise<AgentCard> {
  const { extendedCard, extendedCardForAnyone } = agent;
  if (call.principal.id === "" && !extendedCardForAnyone) throw new A2AError("UNAUTHENTICATED");
  const publicCard = cardAt(call.agentUrl);
  const late = (err: Error) => logger.error({ err, hook: "extendedCard" }, "A hook failed");
  const changes =
    typeof extendedCard === "function"
      ? await decide({ name: "extendedCard", call: () => extendedCard(publicCard, call), hookTimeout, late })
      : extendedCard;
  if (changes === undefined) throw new A2AError("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
  const card = { ...publicCard, ...changes };
  if (isAgentCard(card)) return card;
  const cause = new Error(describeFault(isAgentCard.errors, "extendedCard"));
  throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
}
