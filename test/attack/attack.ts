/** Result of an attack, a row of the table that `npm run attack` prints. */
export interface AttackResult {
  readonly what: string
  /** Kills, events or connections. */
  readonly attacks: number
  readonly lost: number
  readonly doubled: number
  /** Number of them that may happen by design; 0 by default. */
  readonly allowedDoubled?: number
  /** Number that exceeded a bound or needed a person; `detail` has the bound. */
  readonly late: number
  readonly detail: string
}

export interface AttackTools {
  /** Path of the built `callyard`. */
  readonly bin: string
  /** Creates an empty folder, which is removed at the end. */
  folder(): Promise<string>
  /** Runs after the attack, in reverse order. */
  onEnd(work: () => unknown): void
  /** Writes a line of progress to stderr. */
  note(line: string): void
}

export interface Attack {
  /** One line for `npm run attack -- --list`. */
  readonly about: string
  run(tools: AttackTools): Promise<readonly AttackResult[]>
}
