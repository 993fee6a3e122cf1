import assert from "node:assert/strict";
import { test } from "vitest";
import { SingleFlight } from "../../../src/client/auth/single-flight.js";
import { clientCredentials } from "../../../src/client/index.js";
import { gate } from "../../support/both.js";
import { cardOf, clientOf, json, origin, result, task } from "../scripted.js";

const never = new AbortController().signal;

test("work is done once for all who wait, and anew for those who come later", async () => {
  const shared = new SingleFlight<number>();
  let times = 0;
  const work = async () => {
    times += 1;
    return times;
  };
  assert.deepEqual(await Promise.all([shared.join(never, work), shared.join(never, work)]), [1, 1]);
  assert.equal(shared.isRunning, false);
  assert.equal(await shared.join(never, work), 2);
});

test("a failure is everybody's, and the next one tries again", async () => {
  const shared = new SingleFlight<number>();
  const fail = () => Promise.reject(new Error("no"));
  await Promise.all([1, 2].map(() => assert.rejects(shared.join(never, fail), /no/)));
  assert.equal(await shared.join(never, async () => 1), 1);
});

test("who gives up does not take the result from the others; the last one ends the work", async () => {
  const shared = new SingleFlight<number>();
  const { open, opened } = gate<number>();
  const [one, two] = [new AbortController(), new AbortController()];
  let inner: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    inner = signal;
    return opened;
  };
  const first = shared.join(one.signal, work);
  const second = shared.join(two.signal, work);
  one.abort(new Error("enough"));
  await assert.rejects(first, /enough/);
  assert.equal(inner?.aborted, false);
  open(7);
  assert.equal(await second, 7);
  const third = shared.join(two.signal, () => new Promise(() => undefined));
  two.abort(new Error("enough too"));
  await assert.rejects(third, /enough too/);
  assert.equal(shared.isRunning, false);
  await assert.rejects(shared.join(two.signal, work), /enough too/);
});

test("a call that is aborted while it waits for a token leaves the token to the others", async () => {
  const { open, opened } = gate<Response>();
  const flows = { clientCredentials: { tokenUrl: `${origin}/token`, scopes: {} } };
  const card = cardOf({
    securitySchemes: { oauth: { oauth2SecurityScheme: { flows } } },
    securityRequirements: [{ schemes: { oauth: {} } }],
  });
  const credentials = { oauth: clientCredentials({ clientId: "me", clientSecret: "s" }) };
  const { client, seen } = await clientOf(
    (request) => (request.url.pathname === "/token" ? opened : result(request, task)),
    { card, credentials },
  );
  const stop = new AbortController();
  const aborted = client.getTask({ id: "t" }, { signal: stop.signal });
  const other = client.getTask({ id: "t" });
  stop.abort(new Error("enough"));
  await assert.rejects(aborted, /enough/);
  open(json({ access_token: "t1" }));
  assert.equal((await other).id, "t");
  assert.equal(seen.length, 2);
});
