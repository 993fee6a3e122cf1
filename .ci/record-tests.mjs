// A reporter for Node's test runner: one JSON array of the tests that ran, suites left out.

/** Writes `[{ name, file, status: "pass" | "fail" | "skip" | "todo" }]` when the run has ended. */
export default async function* recordTests(events) {
  const tests = [];
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    const unfinished = data.skip !== undefined ? "skip" : data.todo !== undefined ? "todo" : undefined;
    const status = unfinished ?? (type === "test:pass" ? "pass" : "fail");
    tests.push({ name: data.name, file: data.file, status });
  }
  yield `${JSON.stringify(tests)}\n`;
}
