import { bundleClient, LIMITS } from "./bundle-client.js";

// The gate on the client's size: prints it, and fails when it is beyond its limits.
const { sizes, compressed } = await bundleClient();
for (const part of ["client", "signatures"] as const) {
  const [size, limit] = [sizes[part], LIMITS[part]];
  process.stdout.write(
    `${part}: ${size} bytes minified, ${compressed[part]} compressed (limit ${limit} minified)\n`,
  );
  if (size > limit) process.exitCode = 1;
}
