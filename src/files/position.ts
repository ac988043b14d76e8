/** 1-based; columns count UTF-16 code units, as in editors. */
export interface Position {
  readonly line: number
  readonly column: number
}
