import { type BundlePart, bundleClient, LIMITS } from "./bundle-client.js";

// The gate on the client's size: prints it, and fails when it is beyond its limits.
const { sizes, compressed } = await bundleClient();
for (const [name, limit] of Object.entries(LIMITS)) {
  const part = name as BundlePart;
  const size = sizes[part];
  process.stdout.write(
    `${part}: ${size} bytes minified, ${compressed[part]} compressed (limit ${limit} minified)\n`,
  );
  if (size > limit) process.exitCode = 1;
}
