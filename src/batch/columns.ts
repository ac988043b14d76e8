import type { BatchFile, ColumnUse } from '../interface/batch.ts'

/** Names by which a column is recognized without `columns:`, folded by `foldColumn`. */
const aliases: Readonly<Record<ColumnUse, readonly string[]>> = {
  to: [
    ...[
      'to',
      'tonumber',
      'number',
      'phone',
      'phonenumber',
      'contactnumber',
      'contactphone',
      'customernumber',
    ],
    ...[
      'mobile',
      'mobilenumber',
      'mobilephone',
      'cell',
      'cellphone',
      'tel',
      'telephone',
      'telephonenumber',
      'msisdn',
    ],
  ],
  name: ['name', 'fullname', 'customername', 'contactname'],
  timezone: ['timezone', 'tz'],
  id: ['id', 'customerid', 'contactid', 'externalid'],
  consent: ['consent', 'consentbasis'],
}

/** Indices of the columns of a list by their use, and those of variables. */
export interface ColumnMap {
  readonly to: readonly number[]
  readonly name: number | undefined
  readonly timezone: number | undefined
  readonly id: number | undefined
  readonly consent: number | undefined
  /** Variable name → index. */
  readonly variables: ReadonlyMap<string, number>
}

export type ColumnProblem =
  | { readonly code: 'no-number-column' }
  | { readonly code: 'several-number-columns'; readonly columns: readonly string[] }
  | { readonly code: 'no-such-column'; readonly use: ColumnUse; readonly column: string }

/** `Phone Number`, `phone_number` and `phoneNumber` are the same column. */
export function foldColumn(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]+/g, '')
}

/**
 * Maps the columns of a list: by `columns:` of the batch, or else by common names. The name is a variable as well, and so is each column
 * without another use, under its own name; a column `First Name` is the variable `first_name` if the assistant uses that.
 */
export function mapColumns(
  columns: readonly string[],
  given: NonNullable<BatchFile['columns']>,
  usedVariables: readonly string[],
): { readonly map: ColumnMap; readonly problems: readonly ColumnProblem[] } {
  const problems: ColumnProblem[] = []
  const find = (use: ColumnUse, column: string): number[] => {
    const exact = columns.indexOf(column)
    const index = exact === -1 ? columns.findIndex(each => foldColumn(each) === foldColumn(column)) : exact
    if (index === -1) problems.push({ code: 'no-such-column', use, column })
    return index === -1 ? [] : [index]
  }
  const recognize = (use: ColumnUse) =>
    columns.flatMap((column, index) => (aliases[use].includes(foldColumn(column)) ? [index] : []))
  const one = (use: Exclude<ColumnUse, 'to'>) => {
    const column = given[use]
    return column === undefined ? recognize(use)[0] : find(use, column)[0]
  }
  const to =
    given.to === undefined ? recognize('to') : [given.to].flat().flatMap(column => find('to', column))
  if (given.to === undefined && to.length === 0) problems.push({ code: 'no-number-column' })
  if (given.to === undefined && to.length > 1)
    problems.push({ code: 'several-number-columns', columns: to.map(index => columns[index] ?? '') })
  const uses = { to, name: one('name'), timezone: one('timezone'), id: one('id'), consent: one('consent') }
  const { name, timezone, id, consent } = uses
  const used = new Set([...to, timezone, id, consent])
  const variables = new Map(
    columns.flatMap((column, index) => (used.has(index) || column === '' ? [] : [[column, index]])),
  )
  if (name !== undefined && !variables.has('name')) variables.set('name', name)
  for (const [column, index] of [...variables]) {
    const variable = usedVariables.find(each => foldColumn(each) === foldColumn(column))
    if (variable !== undefined && !variables.has(variable)) variables.set(variable, index)
  }
  return { map: { ...uses, variables }, problems }
}
