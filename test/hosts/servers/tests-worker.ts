import { clientTests } from "./client-tests.js";
import { memoryTests } from "./memory-tests.js";
import { TestRun } from "./run-tests.js";

/** Runs tests in a Worker and answers with the outcome. */
// biome-ignore lint/style/noDefaultExport: what a Worker is
export default {
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url).searchParams.get("url");
    const run = new TestRun();
    if (url === null) memoryTests(run);
    else clientTests(url, run);
    return Response.json(await run.run());
  },
};
