/** A name in the camel case of JSON: `taskId` for `task_id`. */
export function camelCase(name: string): string {
  return name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}
