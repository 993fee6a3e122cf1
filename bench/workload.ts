import type { Server, TargetName } from "./driver/server.js";
import type { TargetOptions } from "./targets/control.js";

/** One number that a workload measures for each target. */
export interface Measure {
  readonly key: string;
  /** Label of the number, without the name of the workload. */
  readonly label: string;
  /** Shown as it is, in this unit. Without a unit it is compared with the floor in the same round and shown as a ratio. */
  readonly unit?: string;
  /** Maximum for Parley; with `atLeast` the minimum. */
  readonly goal?: number;
  readonly atLeast?: true;
  /** The goal is counted from what the floor has. */
  readonly aboveFloor?: true;
}

/** The numbers of one visit to a target, by key of the measure. */
export type Findings = Readonly<Record<string, number>>;

/** Size of a visit, and number of visits. */
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
  /** Times that the processes are started, with equal shares of the rounds: their speed differs from start to start. */
  readonly starts?: number;
  /** Every visit needs a fresh process. */
  readonly fresh?: true;
  /** The time is spent waiting, so processes are not warmed up. */
  readonly cold?: true;
  /** Microseconds of CPU time for which processes that are not shared are warmed up, if not for the usual time. */
  readonly warmUp?: number;
  /** Targets are visited at the same time, since what is measured does not depend on how long it takes. */
  readonly together?: true;
  /** Leaves few objects, so it can use the processes of earlier workloads, which are warmed up by then. */
  readonly shared?: true;
  /** Prepares each process once, before its visits. */
  prepare?(server: Server, effort: Effort): Promise<void>;
  /** Visits a target. A process is warmed up by small visits, which do not count, unless every visit has its own. */
  visit(server: Server, effort: Effort): Promise<Findings>;
}
