interface Run {
  readonly name: string;
  readonly from: number;
  to: number;
}

/** Start and end of each run of an executor, by the clock of the machine, which all nodes share. */
export class Runs {
  readonly #byTask = new Map<string, Run[]>();

  /** Reads a line of a node: `began` or `ended`, the task, the process, the attempt and the time. */
  read(line: string): void {
    const [what = "", taskId = "", pid = "", attempt = "", at = ""] = line.split(" ");
    if (what !== "began" && what !== "ended") return;
    const runs = this.#byTask.get(taskId) ?? [];
    this.#byTask.set(taskId, runs);
    const name = `${pid} ${attempt}`;
    if (what === "began") runs.push({ name, from: Number(at), to: Number.POSITIVE_INFINITY });
    const run = runs.findLast((one) => one.name === name);
    if (what === "ended" && run !== undefined) run.to = Number(at);
  }

  /** How many runs there were. */
  get count(): number {
    return [...this.#byTask.values()].reduce((sum, runs) => sum + runs.length, 0);
  }

  /** Pairs of runs of one task that ran at the same time, one sentence each. */
  overlaps(): string[] {
    return [...this.#byTask].flatMap(([taskId, runs]) => {
      const inOrder = runs.toSorted((one, other) => one.from - other.from);
      return inOrder.slice(1).flatMap((run, index) => {
        const before = inOrder[index];
        if (before === undefined || before.to <= run.from) return [];
        return `task ${taskId} was worked on by ${before.name} and ${run.name} for ${before.to - run.from} ms`;
      });
    });
  }
}
