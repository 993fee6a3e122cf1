/** `task_id` as JSON spells it: `taskId`. */
export function camelCase(name: string): string {
  return name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}
