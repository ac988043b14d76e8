import { type BatchFile, type ColumnUse, columnUses } from '../../files/formats/batch.ts'
import type { Table } from '../../files/source/index.ts'
import {
  findHeaderRow,
  foldHeading,
  type HeadingUse,
  isAboutCalls,
  isAboutDate,
  isAboutReason,
  isAboutStatus,
  mayBeAboutConsent,
  usesOfHeading,
} from '../../files/tables/index.ts'
import type { NumberReader } from '../place/index.ts'

/** Use of a heading for each use of a column that a heading can have. */
const headingUses = {
  ...{ to: 'phone', name: 'name', timezone: 'timezone', id: 'id' },
  ...{ consent: 'consent', doNotCall: 'doNotCall', other: undefined },
} as const satisfies Record<ColumnUse, HeadingUse | undefined>

/** Returns the uses that a column with this heading may have. */
function columnUsesOf(heading: string): readonly ColumnUse[] {
  const uses: readonly (HeadingUse | undefined)[] = usesOfHeading(heading)
  return columnUses.filter(use => uses.includes(headingUses[use]))
}

/** Indices of the columns of a list by their use, and those of variables. */
export interface ColumnMap {
  readonly to: readonly number[]
  readonly name: number | undefined
  readonly timezone: number | undefined
  readonly id: number | undefined
  readonly consent: readonly number[]
  /** Columns of consent one of which must say yes: those that name calls, or else all. */
  readonly decisive: readonly number[]
  readonly doNotCall: readonly number[]
  /** Columns about consent whose cells are dates. */
  readonly dates: ReadonlySet<number>
  /** Columns of `doNotCall` whose cells are reasons. */
  readonly reasons: ReadonlySet<number>
  /** Other columns, those of names and ids included, in which a cell may say that a person must not be called. */
  readonly others: readonly number[]
  /** Columns of `others` with the status of people. */
  readonly statuses: ReadonlySet<number>
  /** Variable name → index. */
  readonly variables: ReadonlyMap<string, number>
}

/** A list with the uses of its columns. */
export interface ListedColumns {
  readonly table: Table
  readonly map: ColumnMap
}

export type ColumnProblem =
  | { readonly code: 'no-number-column' }
  | { readonly code: 'several-number-columns'; readonly columns: readonly string[] }
  | { readonly code: 'several-columns'; readonly use: ColumnUse; readonly columns: readonly string[] }
  | { readonly code: 'two-readings'; readonly column: string; readonly uses: readonly ColumnUse[] }
  | { readonly code: 'undecided-column'; readonly column: string }
  | { readonly code: 'no-such-column'; readonly use: ColumnUse; readonly column: string }

interface MapOptions {
  /** Columns by their use. */
  readonly mapping?: BatchFile['columns']
  readonly usedVariables?: readonly string[]
  /** Returns those of the columns with a cell for the use: address books have many without. */
  filledOf?(indices: readonly number[], use: ColumnUse): readonly number[]
  /** True for a column in which some cell says yes or no. */
  hasAnswers?(index: number): boolean
}

/**
 * Maps the columns of a list: by `columns:` of the batch, or else by headings that people and programs give them. Name and consent are
 * variables as well, and so is each column without another use, under its own name; a column `First Name` or `Vorname` is the variable
 * `first_name` if the assistant uses that.
 */
export function mapColumns(
  columns: readonly string[],
  {
    mapping = {},
    usedVariables = [],
    filledOf = indices => indices,
    hasAnswers = () => false,
  }: MapOptions = {},
): { readonly map: ColumnMap; readonly problems: readonly ColumnProblem[] } {
  const problems: ColumnProblem[] = []
  const find = (use: ColumnUse, column: string): number[] => {
    const exact = columns.indexOf(column)
    const index =
      exact === -1 ? columns.findIndex(heading => foldHeading(heading) === foldHeading(column)) : exact
    if (index === -1) problems.push({ code: 'no-such-column', use, column })
    return index === -1 ? [] : [index]
  }
  const named = columnUses.map(
    use => [use, [mapping[use] || []].flat().flatMap(column => find(use, column))] as const,
  )
  const { indicesByUse, unclear } = recognize(columns, new Map(named), use => mapping[use] !== false)
  const candidates = (use: ColumnUse) => {
    const indices = indicesByUse.get(use) ?? []
    const filled = mapping[use] === undefined && indices.length > 1 ? filledOf(indices, use) : []
    return filled.length > 0 ? filled : indices
  }
  const to = candidates('to')
  const isUnclear = unclear.some(({ uses }) => uses.includes('to'))
  if (to.length > 0) problems.push(...severalNumbers(mapping, to, columns))
  else if (isUnclear)
    problems.push(...unclear.map(unclearColumn => ({ code: 'two-readings', ...unclearColumn }) as const))
  else if (mapping.to === undefined) problems.push({ code: 'no-number-column' })
  const one = (use: 'name' | 'timezone' | 'id') => {
    const indices = candidates(use)
    const own = indices.find(index => foldHeading(columns[index] ?? '') === use)
    if (own === undefined && indices.length > 1)
      problems.push({ code: 'several-columns', use, columns: indices.map(index => columns[index] ?? '') })
    return own ?? indices[0]
  }
  const [consent, doNotCall] = [indicesByUse.get('consent') ?? [], indicesByUse.get('doNotCall') ?? []]
  const among = (indices: readonly number[], isAbout: (heading: string) => boolean) =>
    indices.filter(index => isAbout(columns[index] ?? ''))
  const aboutCalls = among(consent, isAboutCalls)
  const uses = { to, name: one('name'), timezone: one('timezone'), id: one('id'), consent, doNotCall }
  const { name, timezone, id } = uses
  // A list may say no under a heading that is not recognized.
  const isDecided = mapping.consent === false && mapping.doNotCall === false
  const isNamed = new Set(named.flatMap(([, indices]) => indices))
  for (const [index, column] of isDecided ? [] : columns.entries())
    if (!isNamed.has(index) && mayBeAboutConsent(column) && hasAnswers(index))
      problems.push({ code: 'undecided-column', column })
  const used = new Set([...to, timezone, id])
  const others = columns.flatMap((_, index) =>
    mapping.doNotCall === false || [...consent, ...doNotCall].includes(index) ? [] : [index],
  )
  const variables = new Map(
    columns.flatMap((column, index) => (used.has(index) || column === '' ? [] : [[column, index]])),
  )
  if (name !== undefined && !variables.has('name')) variables.set('name', name)
  for (const variable of usedVariables) {
    const index = variables.has(variable) ? undefined : columnLike(variable, columns)
    if (index !== undefined) variables.set(variable, index)
  }
  const sets = {
    dates: new Set(among([...consent, ...doNotCall], isAboutDate)),
    reasons: new Set(among(doNotCall, isAboutReason)),
    statuses: new Set(among(others, isAboutStatus).filter(index => !isNamed.has(index))),
  }
  const decisive = aboutCalls.length > 0 ? aboutCalls : consent
  return { map: { ...uses, ...sets, decisive, others, variables }, problems }
}

/**
 * Recognizes columns by their headings. One with two readings, such as a customer number, is what no other column is; it is unclear if
 * that does not decide.
 */
function recognize(
  columns: readonly string[],
  named: ReadonlyMap<ColumnUse, readonly number[]>,
  isRecognized: (use: ColumnUse) => boolean,
) {
  const readings = columns.map((column, index) =>
    named.get('other')?.includes(index) === true ? [] : columnUsesOf(column).filter(isRecognized),
  )
  const isNamed = (index: number) => [...named.values()].some(indices => indices.includes(index))
  const indicesByUse = new Map(
    columnUses.map(use => {
      const indices = named.get(use) ?? []
      const sure = readings.flatMap((uses, index) => (uses.length === 1 && uses[0] === use ? [index] : []))
      // One no is enough, so a column that is named is read besides those that say what they are.
      const isRefusal = use === 'consent' || use === 'doNotCall'
      if (isRefusal) return [use, [...new Set([...indices, ...sure])]]
      return [use, indices.length > 0 ? indices : sure]
    }),
  )
  const unclear: { readonly column: string; readonly uses: readonly ColumnUse[] }[] = []
  for (const [index, uses] of readings.entries()) {
    if (uses.length < 2 || isNamed(index)) continue
    const free = uses.filter(use => (indicesByUse.get(use) ?? []).length === 0)
    const [use] = free
    if (free.length === 1 && use !== undefined) indicesByUse.set(use, [index])
    else if (free.length > 1) unclear.push({ column: columns[index] ?? '', uses })
  }
  return { indicesByUse, unclear }
}

function severalNumbers(
  mapping: NonNullable<BatchFile['columns']>,
  to: readonly number[],
  columns: readonly string[],
): ColumnProblem[] {
  if (mapping.to !== undefined || to.length === 1) return []
  return [{ code: 'several-number-columns', columns: to.map(index => columns[index] ?? '') }]
}

/** Returns the only column with the name of a variable in another spelling or language. */
function columnLike(variable: string, columns: readonly string[]): number | undefined {
  const indicesOf = (isLike: (column: string) => boolean) =>
    columns.flatMap((column, index) => (column !== '' && isLike(column) ? [index] : []))
  const spelled = indicesOf(column => foldHeading(column) === foldHeading(variable))
  const uses = usesOfHeading(variable)
  const [use] = uses.length === 1 ? uses : []
  const namedIndices = indicesOf(column => use !== undefined && usesOfHeading(column).join() === use)
  const [index, ...others] = spelled.length > 0 ? spelled : namedIndices
  return others.length === 0 ? index : undefined
}

/** Looks for the header below lines with a title, and for a number in a list without header. */
export function whereNumbersMayBe(
  { columns, rows, positionOf }: Table,
  readNumber: NumberReader,
): { readonly number: string | undefined; readonly header: number | undefined } {
  const number = findNumber(columns, readNumber)
  const header = findHeaderRow(rows, headings => {
    const { map, problems } = mapColumns(headings)
    const hasNumberColumn = map.to.length > 0 || problems.some(({ code }) => code === 'two-readings')
    return hasNumberColumn && !headings.some(mayHaveNumber)
  })
  return { number, header: header === undefined ? undefined : positionOf(header)?.line }
}

/** Returns a heading that is a number: the list has no header. */
export function findNumber(columns: readonly string[], readNumber: NumberReader): string | undefined {
  return columns.find(column => mayHaveNumber(column) && 'number' in readNumber(column))
}

/** True for a text with enough digits near each other for a phone number. */
export function mayHaveNumber(text: string): boolean {
  return /\d(?:\D{0,2}\d){4}/.test(text)
}
