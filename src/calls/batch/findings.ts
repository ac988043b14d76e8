import type { ColumnUse } from '../../files/formats/batch.ts'
import { commandVariable } from '../../files/formats/command-variable.ts'
import type { Diagnostic, Table } from '../../files/source/index.ts'
import type { RowProblem } from '../../files/tables/index.ts'
import { count, listed } from '../../lib/text/count.ts'
import { describeExpressions, describeNumberProblem, type UnusableNumber } from '../place/index.ts'

/** `details`: facts for hints that name flags. */
interface ProblemText {
  readonly message: string
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** A cell, with the name of its column. */
interface Cell {
  readonly column: string
  readonly written: string
}

const quoted = (text: string) => JSON.stringify(text)

/** A name as it can be written in a YAML list. */
const yamlName = (name: string) => (/^\p{L}[\p{L}\p{N}_ ]*$/u.test(name) ? name : quoted(name))

const useNames: Readonly<Record<ColumnUse, string>> = {
  ...{ to: 'the number of a person', id: 'what identifies a person', name: 'the name of a person' },
  ...{ timezone: 'the time zone of a person', consent: 'whether a person consents to calls' },
  ...{ doNotCall: 'whether a person must not be called', other: 'something else' },
}

/** Names the columns of a use, as a batch file does: `columns: { to: [mobile, home] } in a batch file`. */
export function columnSetting(use: ColumnUse, columns: readonly string[]): string {
  const [first = '', ...others] = columns.map(yamlName)
  const value = others.length === 0 ? first : `[${[first, ...others].join(', ')}]`
  return `columns: { ${use}: ${value} } in a batch file`
}

const otherMeaning = (column: string) => ({
  hint: `if this column says something else, set ${columnSetting('other', [column])}`,
  details: { column },
})

/** Findings about a batch and its rows, by code. */
const problems = {
  'missing-number': ({ columns }: { columns: readonly string[] }) => ({
    message: `no number in ${listed(columns, 3, ' or')}`,
    hint: 'fill the cell, or remove the row',
  }),
  'shortened-number': describe('shortened-number'),
  'lost-plus': describe('lost-plus'),
  'number-extension': describe('number-extension'),
  'several-numbers': describe('several-numbers'),
  'two-numbers': describe('two-numbers'),
  'possible-date': describe('possible-date'),
  'invalid-number': describe('invalid-number'),
  'lost-zero': ({
    written,
    number,
    country,
  }: {
    written: string
    number: string
    country: string | undefined
  }) => ({
    message: `${quoted(written)} may have lost its leading zero; it is read as ${number} (${country})`,
    hint: 'format the column as text in the spreadsheet, or write numbers with + and their country code',
  }),
  'duplicate-person': ({ first, same }: { first: string; same: 'id' | 'number' }) => ({
    message: `same ${same} as ${first}; this row is skipped`,
  }),
  'marked-do-not-call': ({ column, written }: Cell) => ({
    message: `${column} is ${quoted(written)}; this row is skipped`,
    ...otherMeaning(column),
  }),
  'says-do-not-call': ({ column, written }: Cell) => ({
    message: `${column === '' ? 'a cell below no heading' : column} is ${quoted(written)}; this row is skipped`,
    hint: 'reword the cell if the person may be called',
  }),
  'no-consent': ({ column, written }: Cell) => ({
    message: `${column} is ${written === '' ? 'empty' : quoted(written)}; this row is skipped`,
    ...otherMeaning(column),
  }),
  'empty-consent': ({ columns }: { columns: readonly string[] }) => ({
    message: `${listed(columns, 3, ' and')} ${columns.length === 1 ? 'is' : 'are'} empty in all rows, so nobody may be called`,
    hint: `write yes or no in each row; if people have consented elsewhere, set ${columnSetting('other', columns)}`,
    details: { columns },
  }),
  'unclear-column': ({ column, written }: Cell) => ({
    message: `no cell of ${column} says yes or no; rows with cells such as ${quoted(written)} are skipped`,
    ...otherMeaning(column),
  }),
  'undecided-column': ({ column }: { column: string }) => ({
    message: `${quoted(column)} may say whether people may be called, but its heading is not recognized`,
    hint: `say which: ${columnSetting('consent', [column])} if yes allows calls, ${columnSetting('doNotCall', [column])} if yes forbids them, or ${columnSetting('other', [column])} if it is about something else`,
    details: { column },
  }),
  'unclear-consent': ({ column, written }: Cell) => ({
    message: `${column} is ${quoted(written)}, which is neither yes nor no`,
    hint: 'write yes or no; a reason may follow, as in "yes, web form 2026-01-02"',
  }),
  'on-do-not-call-list': ({ number, list }: { number: string; list: string }) => ({
    message: `${number} is in ${list}; this row is skipped`,
  }),
  'not-called-again': ({ number, list }: { number: string; list: string }) => ({
    message: `${number} is in ${list}; this person is not called again`,
  }),
  'missing-timezone': ({ column }: { column: string | undefined }) => ({
    message: column === undefined ? 'the list has no column with the time zone' : `${column} is empty`,
    hint: 'set window.timezone for all; window.otherwise is that of people without one',
  }),
  'unknown-timezone': ({ written }: { written: string }) => ({
    message: `${quoted(written)} is not a time zone`,
    hint: 'write it with its region, such as America/New_York; abbreviations such as EST do not include daylight-saving time',
  }),
  'window-stays-closed': ({ zone, until }: { zone: string; until: string | undefined }) => ({
    message:
      until === undefined
        ? `the window never opens in ${zone}`
        : `the window does not open in ${zone} before ${until}`,
    hint: 'check window and until in the batch file',
  }),
  'unset-variable': ({ variable, column }: { variable: string; column: string | undefined }) => ({
    message:
      column === undefined
        ? `the assistant uses {{${variable}}}, but no column and no variable has this name`
        : `${column} is empty, but the assistant uses {{${variable}}}`,
    hint:
      column === undefined
        ? `add a column ${variable}, or a value for all under variables in a batch file; if the service sets it, name it under serviceVariables in callyard.yaml`
        : `fill the cell, or set a value for all under variables in a batch file`,
    details: { variable },
  }),
  'no-number-column': ({
    columns,
    number,
    header,
    isDoNotCall,
  }: {
    columns: readonly string[]
    number: string | undefined
    header: number | undefined
    isDoNotCall: boolean
  }) => {
    if (header !== undefined)
      return {
        message: `no column is recognized as the number; line ${header} looks like the header`,
        hint: `remove the lines above line ${header}`,
      }
    if (number !== undefined)
      return {
        message: `the first line must name the columns, but ${quoted(number)} looks like a number, not a heading`,
        hint:
          isDoNotCall && columns.length === 1
            ? 'write one number per line, such as +12025550123, and nothing else'
            : 'add a first line that names each column, such as phone,name',
      }
    if (isDoNotCall && columns.length === 1)
      return {
        message: `${quoted(columns[0] ?? '')} is neither a number nor a heading for numbers`,
        hint: 'write one number per line, such as +12025550123; the first line may be the heading: number',
      }
    return {
      message: 'no column is recognized as the number',
      hint: isDoNotCall
        ? `rename the column with the numbers to number; columns: ${listed(columns, 8)}`
        : `name it: columns: { to: … } in a batch file; columns: ${listed(columns, 8)}`,
    }
  },
  'several-number-columns': ({ columns }: { columns: readonly string[] }) => ({
    message: `several columns may be the number: ${listed(columns, 8)}`,
    hint: `name one, or several in the order in which they are called: ${columnSetting('to', columns)}`,
    details: { columns },
  }),
  'several-columns': ({ use, columns }: { use: ColumnUse; columns: readonly string[] }) => ({
    message: `several columns may be the ${use}: ${listed(columns, 8)}`,
    hint: `name one: ${columnSetting(use, columns.slice(0, 1))}`,
    details: { use, columns },
  }),
  'two-readings': ({ column, uses }: { column: string; uses: readonly ColumnUse[] }) => ({
    message: `${quoted(column)} may be ${uses.map(use => useNames[use]).join(' or ')}`,
    hint: `say which: ${uses.map(use => columnSetting(use, [column])).join('; or ')}`,
    details: { column, uses },
  }),
  'no-such-column': ({
    use,
    column,
    columns,
  }: {
    use: ColumnUse
    column: string
    columns: readonly string[]
  }) => ({
    message: `column ${quoted(column)} for ${use} not found`,
    hint: `columns: ${listed(columns, 8)}`,
  }),
  'unused-column': ({ column, used }: { column: string; used: readonly string[] }) => ({
    message: `no text of the assistant uses {{${column}}}; the column is not sent`,
    hint:
      used.length === 0
        ? 'its texts use no variables'
        : `its texts use ${listed(
            used.map(name => `{{${name}}}`),
            5,
          )}`,
  }),
  'left-to-service': ({ expressions }: { expressions: readonly string[] }) =>
    describeExpressions(expressions),
  'no-window': () => ({
    message: 'there is no window, so people are called at any time of day',
    hint: 'set one under window in a batch file',
  }),
  'check-with-variable': () => ({
    message: `check: ${commandVariable.message}`,
    hint: commandVariable.hint,
  }),
  'check-not-found': ({ program }: { program: string }) => ({
    message: `check: program ${program} not found`,
    hint: 'a script next to the batch file is ./eligible.sh',
  }),
  'check-not-executable': ({ program }: { program: string }) => ({
    message: `check: ${program} is not executable`,
    hint: `run chmod +x ${program}`,
  }),
  'no-rows': () => ({
    message: 'the list has no rows',
    hint: 'write a row below the header for each person',
  }),
  'end-has-passed': ({ until }: { until: string }) => ({
    message: `until is ${until}, which has passed`,
    hint: 'choose a later end',
  }),
  'not-a-time': ({ written }: { written: string }) => ({
    message: `until is ${written}, which is not a time of an existing day and time zone`,
    hint: 'for example 2026-12-01T18:00[America/New_York]',
  }),
  'unknown-country': ({ country }: { country: string }) => ({
    message: `defaultCountry is ${country}, which is not a country code`,
    hint: 'use two letters such as US or GB',
  }),
  'invalid-sender': (number: UnusableNumber) => {
    const { message, hint } = describeNumberProblem(number)
    return { message: `from: ${message}`, hint }
  },
  'fewer-calls-than-people': ({
    calls,
    people,
    limit,
  }: {
    calls: number
    people: number
    limit: 'limit.calls' | 'from'
  }) => ({
    message: `${limit} allows ${count(calls, 'call')} for ${count(people, 'person', 'people')}`,
    hint: 'the rest of the list is not called',
    details: { limit },
  }),
  'unreadable-do-not-call': ({ written }: { written: string }) => ({
    message: `${quoted(written)} cannot be read as a number, so it cannot be kept from being called`,
    hint: 'write it as +12025550123, or set defaultCountry for numbers without a country code',
  }),
  'no-heading-do-not-call': ({ column }: { column: number }) => ({
    message: `column ${column} has no heading, and its cells may be numbers that are not to be called`,
    hint: 'name the column in the first line: number if it has numbers, or anything else',
  }),
  'no-number-do-not-call': () => ({
    message: 'this row of a do-not-call list has no number in the column for it',
    hint: 'write the number there, or remove the row',
  }),
  'uncertain-do-not-call': ({ written, readings }: { written: string; readings: readonly string[] }) => ({
    message: `${quoted(written)} may be ${listed(readings, 8, ' or ')}; ${readings.length === 1 ? 'it is not' : 'none of them is'} called`,
    hint: 'write the number that is meant, with + and its country code',
  }),
} satisfies Readonly<Record<string, (details: never) => ProblemText>>

export type BatchFindingCode = keyof typeof problems
export type BatchFindingDetails<Code extends BatchFindingCode> = Parameters<(typeof problems)[Code]>

interface FindingLocation extends Partial<Diagnostic> {
  readonly file: string
  readonly position: Diagnostic['position']
}

/** Finding about a batch or a row. */
export function batchFinding<Code extends BatchFindingCode>(
  location: FindingLocation,
  code: Code,
  ...details: BatchFindingDetails<Code>
): Diagnostic {
  const describe = problems[code] as (...details: BatchFindingDetails<Code>) => ProblemText
  return { code, severity: 'error', path: [], at: 'value', ...location, ...describe(...details) }
}

/** Finding about a row that cannot be used. */
export function rowFinding(
  { file, positionOf }: Table,
  row: number,
  { cell, ...problem }: RowProblem,
): Diagnostic {
  return { severity: 'error', at: 'value', ...problem, file, position: positionOf(row, cell), path: [row] }
}

function describe(problem: UnusableNumber['problem']) {
  return (number: Omit<UnusableNumber, 'problem'>) => {
    const { message, hint } = describeNumberProblem({ problem, ...number })
    if (problem === 'two-numbers')
      return { message, hint: `${hint}; another number of a person has a column of its own` }
    const isNational = problem === 'invalid-number' || problem === 'lost-plus'
    return number.country === undefined && isNational
      ? { message, hint: `${hint}, or set defaultCountry for numbers without one` }
      : { message, hint }
  }
}
