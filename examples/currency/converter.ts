import type { AgentUpdate } from "a2a-parley/bridges";

/** Units of each currency per dollar; a real agent would ask a service. */
const perDollar: Readonly<Record<string, number>> = { USD: 1, EUR: 0.88, CAD: 1.4, INR: 86, JPY: 147 };

interface Question {
  readonly amount?: number;
  /** Currencies in the order in which they were named: from, to. */
  readonly currencies: readonly string[];
}

/** Questions that are not complete yet, by conversation. */
const open = new Map<string, Question>();

/** An agent as frameworks create them, which does not use A2A. */
export const converter = {
  async *stream(query: string, contextId: string): AsyncGenerator<AgentUpdate> {
    const question = read(query, open.get(contextId));
    const { amount = 1, currencies } = question;
    const [from, to] = currencies;
    if (!from || !to) {
      open.set(contextId, question);
      yield {
        text: from ? `Into which currency shall I convert ${from}?` : "Which currency?",
        requireInput: true,
      };
      return;
    }
    open.delete(contextId);
    yield { text: "Looking up the exchange rates" };
    const [paid, bought] = [perDollar[from], perDollar[to]];
    if (!paid || !bought) {
      yield { error: `I know ${Object.keys(perDollar).join(", ")}, and no other currencies` };
      return;
    }
    yield { text: "Processing the exchange rates" };
    yield { text: `${amount} ${from} is ${((amount / paid) * bought).toFixed(2)} ${to}`, done: true };
  },
};

/** The question in a query, completed by the earlier queries of the conversation. */
function read(query: string, { amount: known, currencies }: Question = { currencies: [] }): Question {
  const amount = Number(/\d+(\.\d+)?/.exec(query)?.[0] ?? known ?? 1);
  return { amount, currencies: [...currencies, ...(query.match(/\b[A-Z]{3}\b/g) ?? [])] };
}
