/** One option of a command. Its name is the long flag, and gives the name of its environment variable. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What it takes, as help shows it; an option without it is a switch. */
  readonly takes?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly help: string;
  /** Value when it is set nowhere. */
  readonly fallback?: string;
  /** Its values are never shown. */
  readonly secret?: true;
  /** Only ever read from the command line. */
  readonly explicit?: true;
  /** The words it can be, for completion. */
  readonly choices?: readonly string[];
}
