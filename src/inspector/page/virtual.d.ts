/** Modules that the build makes of documents of the repository. */
declare module "virtual:a2a-schemas" {
  /** Schemas of all versions of the newest major version, by version. */
  export const schemas: Readonly<Record<string, import("./forms/form-schema.js").FormDocument>>;
}

declare module "virtual:requirements" {
  /** Level, statement and section of each requirement of servers, by its id. */
  export const requirements: Readonly<
    Record<string, readonly [level: string, statement: string, section: string]>
  >;
}
