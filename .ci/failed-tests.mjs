// Prints the failed tests of a JSON report of vitest, one line each, and exits with 1. The whole run prints so much that the
// failures in the middle of it are hard to find.
import { readFileSync } from "node:fs";

const { testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log("\nFailed:");
for (const { name, status, message, assertionResults } of testResults) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages } of failed)
    console.log(`- ${name}: ${fullName}: ${firstLine(failureMessages[0])}`);
  if (status === "failed" && failed.length === 0) console.log(`- ${name}: ${firstLine(message)}`);
}
process.exit(1);

function firstLine(text = "") {
  return text.split("\n", 1)[0];
}
