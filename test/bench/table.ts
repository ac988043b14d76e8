/** Unit of a figure: ratio to something else in the same run, seconds, milliseconds, megabytes of peak memory. */
export type Unit = 'times' | 's' | 'ms' | 'MB' | 'KB'

/** One line of the table that `npm run bench` prints. */
export interface Row {
  /** Description of the work with its size. It identifies the row, so no two rows share it. */
  readonly work: string
  readonly unit: Unit
  /** Lower limit for any implementation: `js-yaml alone`, with its figure unless the bench measures it. */
  readonly floor?: string
  readonly goal?: Goal
}

export interface Goal {
  readonly at: 'most' | 'least'
  readonly value: number
}

export function atMost(value: number): Goal {
  return { at: 'most', value }
}

export function atLeast(value: number): Goal {
  return { at: 'least', value }
}

export interface Figure {
  /** In the unit of its row. */
  readonly value: number
  /** The floor as it was measured in this run, in the unit of the row. */
  readonly floor?: number
  /** Another measured figure. */
  readonly detail?: string
}

/** Rows that are measured together, because they are compared or share their inputs. */
export interface Bench {
  /** `--only` takes it. */
  readonly name: string
  readonly rows: Readonly<Record<string, Row>>
  readonly measure: (space: Workspace) => Promise<Readonly<Record<string, Figure>>>
}

/** Environment of a bench. */
export interface Workspace {
  /** The built command. */
  readonly bin: string
  /** An empty folder, removed after the bench. */
  readonly folder: string
  /** Number of interleaved rounds: `--rounds`, else the bench's own number. */
  rounds(usual: number): number
}

/** Ties the figures of a bench to its rows: each row has one. */
export function defineBench<Name extends string>(bench: {
  readonly name: string
  readonly rows: Readonly<Record<Name, Row>>
  readonly measure: (space: Workspace) => Promise<Readonly<Record<Name, Figure>>>
}): Bench {
  return bench
}

/** A row that was measured, or why it was not. */
export interface Result {
  readonly bench: string
  readonly row: Row
  readonly figure: Figure | { readonly failure: string }
}

/** True if a goal is missed by more than a tenth. A missing figure misses its goal. */
export function isMissed({ row: { goal }, figure }: Pick<Result, 'row' | 'figure'>): boolean {
  if ('failure' in figure) return true
  if (goal === undefined) return false
  return goal.at === 'most' ? !(figure.value <= goal.value * 1.1) : !(figure.value >= goal.value * 0.9)
}

/** The table in Markdown: with what else was measured for a terminal, without for docs/speed.md. */
export function markdownTable(
  results: readonly Result[],
  { details }: { readonly details: boolean },
): string {
  const columns = ['Work', 'Figure', 'Floor', 'Goal', ...(details ? ['', 'Measured'] : [])]
  const lines = results.map(result => {
    const { work, figure, floor, goal, missed, detail } = readableResult(result)
    return [work, figure, floor, goal, ...(details ? [missed ? 'missed' : '', detail] : [])]
  })
  return [columns, columns.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function readableResult(result: Result) {
  const { row, figure } = result
  const measured = 'failure' in figure ? undefined : figure
  const floor = measured?.floor === undefined ? '' : withUnit(measured.floor, row.unit)
  return {
    work: row.work,
    figure: measured === undefined ? 'not measured' : withUnit(measured.value, row.unit),
    floor: [floor, row.floor ?? ''].filter(part => part !== '').join(', '),
    goal:
      row.goal === undefined
        ? ''
        : `${row.goal.at === 'most' ? '≤' : '≥'} ${withUnit(row.goal.value, row.unit)}`,
    missed: isMissed(result),
    detail: 'failure' in figure ? figure.failure : (figure.detail ?? ''),
  }
}

/** Two or three digits that count; a ratio has no unit. A run that was killed has no figure. */
export function withUnit(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return 'not in time'
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  const figure = String(Number(value.toFixed(digits)))
  return unit === 'times' ? figure : `${figure} ${unit}`
}

/** A page with this between its two comments. @throws where it has none. */
export function withTable(page: string, table: string): string {
  const [begin, end] = ['<!-- bench -->', '<!-- /bench -->']
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, from)}${begin}\n${table}\n${page.slice(to)}`
}
