import { dirname, join } from 'node:path'
import { doNotCallFile } from '../../files/formats/batch.ts'
import { type Diagnostic, InvalidInput } from '../../files/source/index.ts'
import { findLostValue } from '../../files/tables/index.ts'
import { type CallDeps, type NumberReader, phoneNumberReader, readingsOf } from '../place/index.ts'
import { findNumber, mapColumns, mayHaveNumber, whereNumbersMayBe } from './columns.ts'
import { type BatchFindingCode, batchFinding, rowFinding } from './findings.ts'
import { type ReadList, readList } from './read-list.ts'

/** Warning about an entry. It is created only if it is shown. */
export interface DoNotCallWarning {
  readonly code: BatchFindingCode
  create(): Diagnostic
}

/** The project's own list; undefined if there is none. */
export async function readOwnList(folder: string, cwd: string): Promise<ReadList | undefined> {
  const read = await readList(join(folder, doNotCallFile), { cwd, isDoNotCall: true })
  return read.diagnostics.some(({ code }) => code === 'missing-file' || code === 'empty-file')
    ? undefined
    : read
}

/**
 * Collects the numbers that are not called. A list without a header is a list of numbers. An entry that is not read for certain
 * lists every number that it may mean; one that may mean no number is an error, because it could be called.
 */
export function collectNumbers(lists: readonly ReadList[], readNumber: NumberReader) {
  const numbers = new Map<string, string>()
  const warnings: DoNotCallWarning[] = []
  const problems: Diagnostic[] = []
  for (const { table, diagnostics } of lists) {
    // Digits are the same in every encoding that is not Unicode: a warning about it says nothing here.
    problems.push(...diagnostics.filter(({ severity }) => severity === 'error'))
    // An empty JSON list has nobody on it.
    if (table === undefined || (table.columns.length === 0 && table.rows.length === 0)) continue
    const { map } = mapColumns(table.columns)
    const numbersInHeader = table.columns.flatMap((heading, index) =>
      (index === 0 ? readingsOf(readNumber(heading)).length > 0 : 'number' in readNumber(heading))
        ? [index]
        : [],
    )
    const isHeaderNumber = map.to.length === 0 && numbersInHeader[0] === 0
    // If `Do not call` is the only column, it contains the numbers.
    const isOnlyColumn = table.columns.filter(heading => heading !== '').length === 1
    const isNamed =
      map.to.length === 0 && isOnlyColumn && whereNumbersMayBe(table, readNumber).header === undefined
    const named = isNamed ? map.doNotCall : map.to
    const columns = isHeaderNumber ? numbersInHeader : named
    const add = (written: string, positionOf: () => Diagnostic['position']) => {
      if (written === '') return
      const read = readNumber(written)
      const readings = readingsOf(read)
      for (const number of readings) numbers.set(number, table.file)
      if ('number' in read && read.lostZero === undefined) return
      const location = () => ({ file: table.file, position: positionOf() })
      const lost = readings.length === 0 ? findLostValue(written) : undefined
      if (lost !== undefined)
        problems.push({ severity: 'error', path: [], at: 'value', ...lost, ...location() })
      else if (readings.length === 0)
        problems.push(batchFinding(location(), 'unreadable-do-not-call', { written }))
      else
        warnings.push({
          code: 'uncertain-do-not-call',
          create: () =>
            batchFinding({ ...location(), severity: 'warning' }, 'uncertain-do-not-call', {
              written,
              readings,
            }),
        })
    }
    if (columns.length === 0 || (!isHeaderNumber && findNumber(table.columns, readNumber) !== undefined)) {
      const where = { ...whereNumbersMayBe(table, readNumber), isDoNotCall: true }
      const header = { file: table.file, position: table.positionOf(-1) ?? { line: 1, column: 1 } }
      problems.push(batchFinding(header, 'no-number-column', { columns: [...table.columns], ...where }))
      continue
    }
    for (const { code, file, position, path } of table.warnings ?? [])
      if (code === 'no-heading')
        problems.push(
          batchFinding({ file, position }, 'no-heading-do-not-call', { column: Number(path[0]) + 1 }),
        )
    if (isHeaderNumber)
      for (const column of columns) add(table.columns[column] ?? '', () => table.positionOf(-1, column))
    for (let row = 0; row < table.rows.length; row += 1) {
      const { cells = [], problem } = table.rows.at(row) ?? {}
      // In a list without a header, the first row may come again.
      if (isHeaderNumber && problem?.code === 'repeated-header') continue
      if (problem !== undefined) problems.push(rowFinding(table, row, problem))
      else if (columns.every(column => (cells[column] ?? '') === '')) {
        const other = cells.findIndex(mayHaveNumber)
        const position = () => table.positionOf(row, other === -1 ? undefined : other)
        const toDiagnostic = (severity: 'error' | 'warning') =>
          batchFinding({ file: table.file, position: position(), severity }, 'no-number-do-not-call')
        if (other === -1)
          warnings.push({ code: 'no-number-do-not-call', create: () => toDiagnostic('warning') })
        else problems.push(toDiagnostic('error'))
      } else for (const column of columns) add(cells[column] ?? '', () => table.positionOf(row, column))
    }
  }
  return { numbers, problems, warnings }
}

/**
 * Finds the list of the project, or of the working folder outside of projects, that a number is on, in any notation; undefined if it may
 * be called.
 * @throws InvalidInput for a list that cannot be read
 */
export async function findOnDoNotCallList(number: string, deps: CallDeps): Promise<string | undefined> {
  const { project } = await deps.settings()
  const own = await readOwnList(project === undefined ? deps.cwd : dirname(project.file), deps.cwd)
  if (own === undefined) return undefined
  const readNumber = await phoneNumberReader()
  const { numbers, problems } = collectNumbers([own], readNumber)
  if (problems.length > 0) throw new InvalidInput(problems, 'nobody was called')
  const listed = readingsOf(readNumber(number)).find(reading => numbers.has(reading))
  return listed && numbers.get(listed)
}
