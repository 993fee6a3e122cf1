import { bundleClient, PARTS } from "./bundle-client.js";

// The gate on the client's size: prints it, and fails when it is beyond its limits.
const { sizes, compressed } = await bundleClient();
for (const [part, { limit }] of Object.entries(PARTS)) {
  const size = sizes.get(part) ?? 0;
  process.stdout.write(
    `${part}: ${size} bytes minified, ${compressed.get(part)} compressed (limit ${limit} minified)\n`,
  );
  if (size > limit) process.exitCode = 1;
}
