import type { BatchFile } from '../../files/formats/batch.ts'
import { isTimeZone } from '../../files/formats/batch.ts'
import { type Diagnostic, formatLocation, type Table } from '../../files/source/index.ts'
import { findLostValue, isAboutDate, readConsent, readDoNotCall } from '../../files/tables/index.ts'
import { detach } from '../../lib/text/detach.ts'
import type { NumberReader } from '../place/index.ts'
import { type ColumnMap, type ListedColumns, mapColumns, whereNumbersMayBe } from './columns.ts'
import type { DoNotCallWarning } from './do-not-call.ts'
import { type BatchFindingCode, type BatchFindingDetails, batchFinding, rowFinding } from './findings.ts'
import { cellOf, findRefusal, findUnclearCells, type Identity, identityOf } from './refusals.ts'

/** A person to call. */
export interface Person extends Identity {
  readonly zone: string
  readonly list: ListedColumns
  /** Index of the row in its list. */
  readonly row: number
}

/** A row of which nobody is called. */
export interface UncalledRow {
  readonly list: ListedColumns
  /** Index of the row in its list. */
  readonly row: number
  readonly status: 'invalid' | 'duplicate' | 'do-not-call'
  /** Code of the finding. */
  readonly reason: string
}

/** Findings, each counted and the first ones kept. */
export interface FindingLog {
  readonly diagnostics: readonly Diagnostic[]
  /** Number of findings by code. */
  readonly counts: ReadonlyMap<string, number>
}

/** Findings kept of each code. */
const maxKept = 100

type OpenFindingLog = ReturnType<typeof createFindingLog>

function createFindingLog() {
  const diagnostics: Diagnostic[] = []
  const counts = new Map<string, number>()
  let last = ''
  return {
    diagnostics,
    /** Code of the latest finding. */
    get last() {
      return last
    },
    counts,
    /** The finding is created only if it is kept. */
    add(code: string, create: () => Diagnostic) {
      const number = (counts.get(code) ?? 0) + 1
      counts.set(code, number)
      last = code
      if (number <= maxKept) diagnostics.push(create())
    },
  }
}

interface VariableOptions {
  readonly batch: BatchFile
  /** Variables in the texts of the assistant; undefined if they are not known here. */
  readonly usedVariables: readonly string[] | undefined
}

export interface ContactOptions extends VariableOptions {
  readonly readNumber: NumberReader
  /** Number in E.164 form → the file that lists it. */
  readonly doNotCall: ReadonlyMap<string, string>
  /** Entries of do-not-call lists that were read in every way they may be meant. */
  readonly doNotCallWarnings?: readonly DoNotCallWarning[]
  /** Names among them that the service fills in without a value. */
  readonly optionalVariables?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** True for a batch that has called somebody, whose list stays readable if its consent is empty since then. */
  readonly hasCalls: boolean
  /** True if nobody is called now, so that such a batch may have a column that is not decided. Default: false. */
  readonly isReport?: boolean
  /** True if a person in this time zone can be called before the end of the batch. */
  canCall(zone: string): boolean
  /** True for a person whom the batch has called: one who was put on a do-not-call list since then stays in its results. */
  isKnown(person: Identity): boolean
  /** True for a person whom the batch would call again. */
  isCalledAgain(person: Identity): boolean
}

export interface Contacts {
  /** Errors of a whole list: no row of it can be read. */
  readonly problems: readonly Diagnostic[]
  readonly lists: readonly ListedColumns[]
  readonly people: readonly Person[]
  readonly skipped: Readonly<Record<'invalid' | 'duplicate' | 'doNotCall', number>>
  readonly uncalled: readonly UncalledRow[]
  readonly findings: FindingLog
}

/**
 * Checks every row of the lists. A person is called once for all lists: the first row with an id or a number stays, the others are
 * skipped. A row with an error is skipped.
 */
export function readContacts(tables: readonly Table[], options: ContactOptions): Contacts {
  const log = createFindingLog()
  for (const { code, create } of options.doNotCallWarnings ?? []) log.add(code, create)
  const lists = tables.map(table => openList(table, options))
  const problems = lists.flatMap(list => list.problems)
  const people: Person[] = []
  const seen = { id: new Map<string, Person>(), number: new Map<string, Person>() }
  const skipped = { invalid: 0, duplicate: 0, doNotCall: 0 }
  const uncalled: UncalledRow[] = []
  for (const list of problems.length === 0 ? lists : []) {
    for (const [index, [written = '']] of list.unclear) {
      const column = list.table.columns[index] ?? ''
      const location = locationOf(list, -1, index)
      log.add('unclear-column', () => batchFinding(location(), 'unclear-column', { column, written }))
    }
    for (let row = 0; row < list.table.rows.length; row += 1) {
      const refused = refuse(list, row, options, log)
      if (refused !== undefined) {
        skipped[refused.status === 'invalid' ? 'invalid' : 'doNotCall'] += 1
        uncalled.push(refused)
        continue
      }
      const person = readRow(list, row, options, log)
      if (person === undefined) {
        skipped.invalid += 1
        uncalled.push({ list, row, status: 'invalid', reason: log.last })
        continue
      }
      const { id, numbers } = person
      const blocked = numbers.find(number => options.doNotCall.has(number))
      if (blocked !== undefined) {
        const isKnown = options.isKnown(person)
        const details = { number: blocked, list: options.doNotCall.get(blocked) ?? '' }
        const location = locationOf(list, row, list.map.to[0])
        const code = isKnown ? 'not-called-again' : 'on-do-not-call-list'
        if (!isKnown || options.isCalledAgain(person))
          log.add(code, () => batchFinding({ ...location(), severity: 'warning' }, code, details))
        if (!isKnown) {
          skipped.doNotCall += 1
          uncalled.push({ list, row, status: 'do-not-call', reason: 'on-do-not-call-list' })
          continue
        }
      }
      const sameId = seen.id.get(id)
      const first =
        sameId ?? numbers.map(number => seen.number.get(number)).find(other => other !== undefined)
      if (first !== undefined) {
        skipped.duplicate += 1
        uncalled.push({ list, row, status: 'duplicate', reason: 'duplicate-person' })
        const location = locationOf(list, row, sameId === undefined ? list.map.to[0] : list.map.id)
        log.add('duplicate-person', () =>
          batchFinding({ ...location(), severity: 'warning' }, 'duplicate-person', {
            first: formatLocation(locationOf(first.list, first.row)()),
            same: sameId === undefined ? 'number' : 'id',
          }),
        )
        continue
      }
      seen.id.set(id, person)
      for (const number of numbers) seen.number.set(number, person)
      people.push(person)
    }
  }
  return { problems, lists, people, skipped, uncalled, findings: log }
}

interface OpenedList extends ListedColumns {
  /** Columns that identify people or are sent, in their order. */
  readonly used: readonly number[]
  /** Columns about consent without any yes or no, and with several other cells; the first ones. */
  readonly unclear: ReadonlyMap<number, readonly string[]>
  readonly problems: readonly Diagnostic[]
}

function openList(table: Table, options: ContactOptions): OpenedList {
  const { batch, readNumber, usedVariables = [], optionalVariables = [], now } = options
  const columns = table.columns.filter(column => column !== '')
  const required = usedVariables.filter(variable => !optionalVariables.includes(variable))
  const { map, problems } = mapColumns(table.columns, {
    mapping: batch.columns,
    // `/day` does not mean the column `day`.
    usedVariables: usedVariables.filter(variable => /^[\p{L}\p{N}_]/u.test(variable)),
    filledOf: (indices, use) => filledColumns(table, indices, use === 'to' ? mayBePhone : isFilled),
    hasAnswers: index => {
      const cell = { now, isDate: isAboutDate(table.columns[index] ?? '') }
      return [readConsent, readDoNotCall].some(
        readCell => findUnclearCells(table, index, readCell, cell) === undefined,
      )
    },
  })
  const unanswered = (indices: readonly number[], readCell: typeof readConsent) =>
    indices.flatMap(index => {
      const cells = findUnclearCells(table, index, readCell, cellOf(map, index, now))
      return cells === undefined ? [] : [[index, cells] as const]
    })
  const consents = unanswered(map.consent, readConsent)
  const unclear = [...consents, ...unanswered(map.doNotCall, readDoNotCall)]
  const sentIndices = sentColumns(map, options.usedVariables).map(([, index]) => index)
  const used = [...new Set([...map.to, ...(map.id === undefined ? [] : [map.id]), ...sentIndices])]
  const header = { file: table.file, position: table.positionOf(-1) ?? { line: 1, column: 1 } }
  const headingOf = (column = '') => {
    const index = columns.indexOf(column)
    return {
      ...header,
      position: (index === -1 ? undefined : table.positionOf(-1, index)) ?? header.position,
    }
  }
  // An empty JSON list.
  if (columns.length === 0 && table.rows.length === 0)
    return { table, map, used, unclear: new Map(), problems: [batchFinding(header, 'no-rows')] }
  const where = whereNumbersMayBe(table, readNumber)
  const noNumberColumn = batchFinding(header, 'no-number-column', { columns, ...where, isDoNotCall: false })
  const isTitle = map.to.length === 0 || (table.warnings ?? []).some(({ code }) => code === 'no-heading')
  const isNoTable = table.rows.length === 0 && problems.some(({ code }) => code === 'no-number-column')
  // Every other problem of the first line follows from this one.
  if (where.number !== undefined || (isTitle && where.header !== undefined) || isNoTable)
    return { table, map, used, unclear: new Map(), problems: [noNumberColumn] }
  const unset = required.filter(
    variable => !map.variables.has(variable) && !Object.hasOwn(batch.variables ?? {}, variable),
  )
  const consentColumns = map.decisive.map(index => table.columns[index] ?? '')
  const emptyColumns = consents.flatMap(([index, cells]) => (cells.length === 0 ? [index] : []))
  const isEmpty = consentColumns.length > 0 && map.decisive.every(index => emptyColumns.includes(index))
  return {
    table,
    map,
    used,
    unclear: new Map(unclear.filter(([, cells]) => cells.length > 1)),
    problems: [
      ...(table.rows.length === 0
        ? [batchFinding(header, 'no-rows')]
        : isEmpty && !options.hasCalls
          ? [batchFinding(headingOf(consentColumns[0]), 'empty-consent', { columns: consentColumns })]
          : []),
      ...problems.flatMap(({ code, ...details }) => {
        if (code === 'undecided-column' && options.hasCalls && options.isReport === true) return []
        if (code === 'no-number-column') return [noNumberColumn]
        const location = 'column' in details ? headingOf(details.column) : header
        return [batchFinding(location, code, { columns, ...details } as never)]
      }),
      ...unset.map(variable => batchFinding(header, 'unset-variable', { variable, column: undefined })),
    ],
  }
}

const isFilled = (cell: string) => cell !== ''

/** False for a cell that says yes or no, as below `Mobile?`. */
const mayBePhone = (cell: string) =>
  /\p{Nd}/u.test(cell) && !['yes', 'no'].includes(readConsent(cell, { now: 0, isDate: false }))

/** Returns those of the columns that have a cell of this kind. */
function filledColumns(
  { rows }: Table,
  indices: readonly number[],
  isWanted: (cell: string) => boolean,
): readonly number[] {
  const filled = new Set<number>()
  for (let row = 0; row < rows.length && filled.size < indices.length; row += 1) {
    const { cells = [] } = rows.at(row) ?? {}
    for (const index of indices) if (isWanted(cells[index] ?? '')) filled.add(index)
  }
  return indices.filter(index => filled.has(index))
}

/** Returns the names and indices of the columns that are sent. */
function sentColumns({ variables }: ColumnMap, usedVariables: ContactOptions['usedVariables']) {
  return [...variables].filter(([name]) => usedVariables?.includes(name) !== false)
}

/**
 * Returns the values of the variables of a call: those of the batch, then the cells that are not empty. Columns that no text of the
 * assistant uses are not sent.
 */
export function variablesOf(
  { list, row }: Person,
  { batch, usedVariables }: VariableOptions,
): Record<string, string> {
  const cells = list.table.rows.at(row)?.cells ?? []
  const own = sentColumns(list.map, usedVariables).flatMap(([name, index]) => {
    const value = cells[index] ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  return { ...batch.variables, ...Object.fromEntries(own) }
}

/** Returns the same without values from the environment, to be shown and logged. */
export function shownVariablesOf(
  person: Person,
  batch: VariableOptions & { readonly secretVariables: readonly string[] },
): Record<string, string> {
  const masked = batch.secretVariables.map(name => [name, '****'] as const)
  return { ...variablesOf(person, batch), ...Object.fromEntries(masked) }
}

function locationOf({ table }: ListedColumns, row: number, column?: number) {
  return () => ({ file: table.file, position: table.positionOf(row, column), path: [row] })
}

/** Returns a row as not called if one of its cells says that its person is not called, unless the batch has called them. */
function refuse(
  list: OpenedList,
  row: number,
  { readNumber, now, isKnown }: ContactOptions,
  log: OpenFindingLog,
): UncalledRow | undefined {
  const { cells = [], problem } = list.table.rows.at(row) ?? {}
  const refusal = problem === undefined ? findRefusal(list, cells, now) : undefined
  if (refusal === undefined || isKnown(identityOf(list, row, readNumber))) return undefined
  const { code, column } = refusal
  const isUnclear = code === 'unclear-consent'
  const location = locationOf(list, row, column)
  // A column without any answer has one finding.
  if (!isUnclear || !list.unclear.has(column))
    log.add(code, () =>
      batchFinding({ ...location(), severity: isUnclear ? 'error' : 'warning' }, code, {
        column: list.table.columns[column] ?? '',
        written: cells[column] ?? '',
      }),
    )
  return { list, row, status: isUnclear ? 'invalid' : 'do-not-call', reason: code }
}

function readRow(
  list: OpenedList,
  row: number,
  options: ContactOptions,
  log: OpenFindingLog,
): Person | undefined {
  const { table, map } = list
  const { batch, readNumber, usedVariables = [], optionalVariables = [], canCall } = options
  const { cells = [], problem } = table.rows.at(row) ?? {}
  let isValid = true
  const fail = <Code extends BatchFindingCode>(
    code: Code,
    details: BatchFindingDetails<Code>[0],
    column?: number,
    severity: Diagnostic['severity'] = 'error',
  ) => {
    if (severity === 'error') isValid = false
    log.add(code, () =>
      batchFinding(
        { ...locationOf(list, row, column)(), severity },
        code,
        ...([details] as BatchFindingDetails<Code>),
      ),
    )
  }
  if (problem !== undefined) {
    log.add(problem.code, () => rowFinding(table, row, problem))
    return undefined
  }

  for (const index of list.used) {
    const lost = findLostValue(cells[index] ?? '', `column ${table.columns[index]}`)
    if (lost === undefined) continue
    isValid = false
    log.add(lost.code, () => rowFinding(table, row, { ...lost, cell: index }))
  }
  if (!isValid) return undefined

  const numbers: string[] = []
  const written = map.to.map(index => ({ index, text: cells[index] ?? '' }))
  const country = batch.defaultCountry
  for (const { index, text } of written) {
    // The second number of a person may be missing.
    if (text === '') continue
    const read = readNumber(text)
    if ('problem' in read) {
      if (read.problem === 'missing-number') continue
      fail(read.problem, { written: text, country, readings: read.readings }, index)
      continue
    }
    if (read.lostZero === true)
      fail('lost-zero', { written: text, number: read.number, country }, index, 'warning')
    if (!numbers.includes(read.number)) numbers.push(read.number)
  }
  if (written.every(({ text }) => text === '') && map.to.length > 0)
    fail('missing-number', { columns: map.to.map(index => table.columns[index] ?? '') }, map.to[0])

  const zone = readZone(list, cells, batch)
  if (typeof zone === 'string') {
    if (!canCall(zone)) fail('window-stays-closed', { zone, until: batch.until }, map.timezone)
  } else if (zone.written === undefined) {
    const column = map.timezone === undefined ? undefined : table.columns[map.timezone]
    fail('missing-timezone', { column }, map.timezone)
  } else fail('unknown-timezone', { written: zone.written }, map.timezone)

  for (const variable of usedVariables) {
    if (Object.hasOwn(batch.variables ?? {}, variable) || optionalVariables.includes(variable)) continue
    const index = map.variables.get(variable)
    if (index !== undefined && (cells[index] ?? '') === '')
      fail('unset-variable', { variable, column: table.columns[index] }, index)
  }
  const [first] = numbers
  if (!isValid || first === undefined || typeof zone !== 'string') return undefined
  const id = map.id === undefined ? '' : (cells[map.id] ?? '')
  // An array that grew has room for sixteen more numbers.
  return { id: id === '' ? first : detach(id), numbers: numbers.map(detach), zone, list, row }
}

/** The time zone of a person. It is never guessed from a number. */
function readZone(
  { map }: ListedColumns,
  cells: readonly string[],
  { window }: BatchFile,
): string | { readonly written: string | undefined } {
  // Without a window people can be called at any time, in any time zone.
  if (window === undefined) return 'UTC'
  const { timezone = 'contact', otherwise } = window
  if (timezone !== 'contact') return timezone
  const written = map.timezone === undefined ? '' : (cells[map.timezone] ?? '')
  if (written === '') return otherwise ?? { written: undefined }
  return zones.get(written) ?? rememberZone(written)
}

const zones = new Map<string, string | { readonly written: string }>()

/** Remembers which names are time zones, because finding out takes longer than reading the rest of a row. */
function rememberZone(written: string): string | { readonly written: string } {
  const zone = isTimeZone(written) ? written : { written }
  if (zones.size < maxZones) zones.set(written, zone)
  return zone
}

const maxZones = 10_000
