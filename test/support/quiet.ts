/** Drops the lines that servers without a logger write to stderr: hundreds of tests make executors fail on purpose. */
const LINE = /^\d\d:\d\d:\d\d (WARN |ERROR) /;

const kept = process as { quiet?: true };

if (kept.quiet === undefined) {
  kept.quiet = true;
  const write = process.stderr.write.bind(process.stderr) as (...args: unknown[]) => boolean;
  process.stderr.write = (...args: unknown[]) => LINE.test(String(args[0])) || write(...args);
}
