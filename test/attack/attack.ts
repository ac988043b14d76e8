/** What one attack did, as a row of the table that `npm run attack` prints. */
export interface AttackResult {
  readonly what: string
  /** Kills, events or connections. */
  readonly attacks: number
  readonly lost: number
  readonly doubled: number
  /** How many of them are promised to be possible. Default: none. */
  readonly allowedDoubled?: number
  /** What took longer than its bound, or needed a person. `detail` says which bound. */
  readonly late: number
  readonly detail: string
}

export interface AttackTools {
  /** Path of the built `callwright`. */
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
