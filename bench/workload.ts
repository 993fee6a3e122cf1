import type { Server, TargetName } from "./driver/server.js";
import type { TargetOptions } from "./targets/control.js";

/** One number that a workload finds out about each target. */
export interface Measure {
  readonly key: string;
  /** What it says, without the name of the workload. */
  readonly label: string;
  /** Shown as it is, in this unit. Without a unit it is compared with the floor in the same round and shown as a ratio. */
  readonly unit?: string;
  /** The most that Parley may have; or the least, for counts of what goes right. */
  readonly goal?: number;
  readonly atLeast?: true;
}

/** What one visit to a target found, by key of the measure. */
export type Findings = Readonly<Record<string, number>>;

/** How much is done in a visit, and how often targets are visited. */
export interface Effort {
  /** Multiplies the size of a visit; 1 in a quick run, more in a full one, less for warming up. */
  readonly scale: number;
  readonly rounds: number;
  /** The only targets; those of the workload unless given. */
  readonly targets?: readonly TargetName[];
  /** Where targets write CPU profiles. */
  readonly profile?: string;
}

/** A use of a server whose cost is measured. */
export interface Workload {
  readonly name: string;
  /** One sentence for people. */
  readonly about: string;
  readonly measures: readonly Measure[];
  /** Targets that it can be done with; {@link targetNames} unless given. */
  readonly targets?: readonly TargetName[];
  /** Compares two targets alone: what is measured, and what it is measured by; and a third one beside them, without a goal. */
  readonly pair?: { readonly of: TargetName; readonly by: TargetName; readonly beside?: TargetName };
  readonly options?: TargetOptions;
  /** Rounds where the usual number makes no sense: one for what does not vary. */
  readonly rounds?: number;
  /** Rounds in place of each of the usual ones, where visits are short: the median of many tells more than that of few long ones. */
  readonly often?: number;
  /** Every visit needs a process that nothing was done with. */
  readonly fresh?: true;
  /** What takes time is waiting: nothing has to be warmed up. */
  readonly cold?: true;
  /** Targets are visited at the same time, since what is measured does not depend on how long it takes. */
  readonly together?: true;
  /** Leaves little behind: the processes may be those of workloads before it, which have come to rest by then. */
  readonly shared?: true;
  /** Made once for each process before it is visited. */
  prepare?(server: Server, effort: Effort): Promise<void>;
  /** Visits a target. A process is warmed up by small visits, which do not count, unless every visit has its own. */
  visit(server: Server, effort: Effort): Promise<Findings>;
}
