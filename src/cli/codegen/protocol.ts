import { resolve } from "node:path";
import type { Standalone, StandaloneOptions } from "../../../codegen/standalone.js";
import { packageFolder } from "../../runtime/package-version.js";
import type { CommandCall } from "../command.js";
import { Failure, fileFailure, usage } from "../failure.js";
import { banner, type Files } from "./generate.js";
import { printJavaScript } from "./javascript.js";

/** Code that was generated from the definition of the protocol. */
export interface ProtocolCode extends Pick<Standalone, "version" | "form" | "notes"> {
  readonly files: Files;
}

/** Packages that only code generation needs. */
const needed = ["json-schema-to-typescript", "openapi-typescript", "protobufjs", "ts-morph"];

/**
 * Generates types, validators, operations and the interfaces of client and server from the definition of the protocol.
 * @param shown path of the definition as the user wrote it
 * @throws Failure
 */
export async function protocolCode({ words, values, io }: CommandCall, shown: string): Promise<ProtocolCode> {
  if (words[0] !== undefined || values.isGiven("agent-card"))
    throw usage("--protocol cannot be combined with a folder of schemas or with --agent-card");
  const version = values.text("protocol-version");
  if (version !== undefined && !/^\d+\.\d+(?:-draft)?$/.test(version))
    throw usage(`--protocol-version takes a version as Major.Minor, not "${version}"`);
  const { generateStandalone } = await loadGenerator();
  const file = resolve(io.folder, shown);
  const options = { file, shown, force: values.isOn("force"), banner };
  const code = await generated(generateStandalone, {
    ...options,
    ...(version !== undefined && { version }),
  });
  return values.isOn("js") ? { ...code, files: await printJavaScript(code.files) } : code;
}

async function generated(
  generate: (root: string, options: StandaloneOptions) => Promise<Standalone>,
  options: StandaloneOptions,
): Promise<Standalone> {
  try {
    return await generate(packageFolder(), options);
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    if (name === "ImportError" || name === "SchemaError")
      throw fileFailure(`${options.shown} cannot be read:\n${message}`);
    if (code === "ENOENT") throw fileFailure(`${options.shown} does not exist`);
    if (code === "EISDIR") throw fileFailure(`${options.shown} is a folder, not a file`);
    throw error;
  }
}

/**
 * Loads the generator. The packages that it needs are not dependencies of this package, because only code generation needs them.
 * @throws Failure that says how to install them
 */
async function loadGenerator(): Promise<typeof import("../../../codegen/standalone.js")> {
  try {
    return await import("../../../codegen/standalone.js");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure(
      "PARLEY_ERR_FILE",
      `parley codegen --protocol needs the packages ${needed.join(", ")}`,
      {
        hint: `npm install --save-dev ${needed.join(" ")}`,
        cause: error,
      },
    );
  }
}
