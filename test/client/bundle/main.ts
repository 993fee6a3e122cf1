import {
  ALL_EXPORTS,
  bundleClient,
  PARTS,
  SINGLE_IMPORTS,
  sizeOfExports,
  sizeOfImport,
} from "./bundle-client.js";

// The gate on the sizes of the client and of single imports: prints them, and fails when one is beyond its limit.
const { sizes, compressed } = await bundleClient();
for (const [part, limits] of Object.entries(PARTS)) {
  const [size = 0, packed = 0] = [sizes.get(part), compressed.get(part)];
  process.stdout.write(
    `${part}: ${size} bytes minified, ${packed} compressed (limits ${limits.limit} and ${limits.compressed})\n`,
  );
  if (size > limits.limit || packed > limits.compressed) process.exitCode = 1;
}
const { size, packed } = await sizeOfExports();
process.stdout.write(
  `all exports at once: ${size} bytes minified, ${packed} compressed (limits ${ALL_EXPORTS.limit} and ${ALL_EXPORTS.compressed})\n`,
);
if (size > ALL_EXPORTS.limit || packed > ALL_EXPORTS.compressed) process.exitCode = 1;

for (const [name, from, limit] of SINGLE_IMPORTS) {
  const size = await sizeOfImport(name, from);
  process.stdout.write(`import { ${name} } from ${from}: ${size} bytes minified (limit ${limit})\n`);
  if (size > limit) process.exitCode = 1;
}
