import type { Spec } from "../spec-model.js";
import { printSource } from "./source.js";
import { guardedTypes, guardName } from "./validators.js";

/** `assertions.ts`: one assertion for each guard. */
export function emitAssertions(spec: Spec): string {
  const types = guardedTypes(spec);
  return printSource(spec, (file) => {
    file.addImportDeclarations([
      { isTypeOnly: true, namedImports: types, moduleSpecifier: "./models.js" },
      {
        namedImports: [...types.map((name) => guardName(name)), "type Validator"],
        moduleSpecifier: "./validators.js",
      },
    ]);
    for (const name of types) {
      file.addFunction({
        isExported: true,
        name: `assert${name}`,
        parameters: [{ name: "value", type: "unknown" }],
        returnType: `asserts value is ${name}`,
        statements: `check(value, ${guardName(name)}, "${name}");`,
        docs: [
          `Asserts that a value is a valid \`${name}\` in canonical form.\n@throws TypeError if it is not; its \`cause\` is the first fault`,
        ],
      });
    }
    file.addFunction({
      name: "check",
      parameters: [
        { name: "value", type: "unknown" },
        { name: "isValid", type: "Validator<unknown>" },
        { name: "type", type: "string" },
      ],
      returnType: "void",
      statements: `if (isValid(value)) return;
const [fault] = isValid.errors ?? [];
const place = fault?.instancePath || "the value";
throw new TypeError(\`Not a valid \${type}: \${place} \${fault?.message ?? "is refused"}\`, { cause: fault });`,
    });
  });
}
