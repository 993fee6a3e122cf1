import type { Files } from "./generate.js";
import { banner } from "./generate.js";

/** Compiles TypeScript files to JavaScript with declarations. */
export async function printJavaScript(files: Files): Promise<Files> {
  const { ModuleKind, ModuleResolutionKind, Project, ScriptTarget } = await import("ts-morph");
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: {
      declaration: true,
      target: ScriptTarget.ES2022,
      module: ModuleKind.ESNext,
      moduleResolution: ModuleResolutionKind.Bundler,
    },
  });
  for (const [name, text] of files) project.createSourceFile(`/${name}`, text);
  return new Map(
    project
      .emitToMemory()
      .getFiles()
      .map(({ filePath, text }) => [
        filePath.slice(1),
        // The compiler leaves the banner out of declarations.
        text.startsWith(banner) ? text : banner + text,
      ]),
  );
}
