import { nextHandlers } from "../../src/server/next/index.js";
import { agent } from "./parley-agent.js";
import { answerTo, isCall } from "./plain-route.js";

/** The route handlers of the application of Next.js that is measured: those of an agent. */
export const agentHandlers = nextHandlers(agent);

/** A JSON route as users of Next.js write it. */
export async function POST(request: Request): Promise<Response> {
  const body: unknown = await request.json();
  return isCall(body)
    ? Response.json(await answerTo(body))
    : Response.json({ error: "invalid" }, { status: 400 });
}
