/** Modules that the build makes of documents of the repository. */
declare module "virtual:a2a-schema" {
  export const schema: import("./forms/form-schema.js").FormDocument;
}

declare module "virtual:requirements" {
  /** Level, statement and section of each requirement of servers, by its id. */
  export const requirements: Readonly<
    Record<string, readonly [level: string, statement: string, section: string]>
  >;
}
