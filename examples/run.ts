/** Runs an example by its name: `npm run -s example hello`. What follows the name is for the example. */
import { existsSync, readdirSync } from "node:fs";

const [name = ""] = process.argv.splice(2, 1);
const here = new URL(".", import.meta.url);
const names = readdirSync(here).filter((each) => existsSync(new URL(`${each}/README.md`, here)));
if (names.includes(name)) {
  await import(`./${name}/main.js`);
} else {
  console.error(`Which example? ${names.join(", ")}`);
  process.exitCode = 2;
}
