import { rowsSchema } from '../../interface/scenario.ts'
import { checkSource, type FileRules, readSource } from '../../source/index.ts'
import type { Place } from '../test-case.ts'
import type { Row } from './fill.ts'
import { type Findings, type Located, locatedIn } from './findings.ts'

export interface PlacedRow {
  readonly values: Row
  /** From 1. */
  readonly number: number
  readonly place: Place
}

interface RowOptions extends FileRules {
  /** What the file of rows lies in, absolute. */
  readonly folder: string
}

/** The rows of `each`, from the test itself or from a file of which the path is noted in `uses`; none where it has errors. */
export async function readRows(
  each: string | readonly Row[],
  at: Located,
  findings: Findings,
  { cwd, folder, allowOutside = false, ...options }: RowOptions & { readonly uses: Set<string> },
): Promise<readonly PlacedRow[]> {
  if (typeof each !== 'string') {
    return each.map((values, index) => ({ values, number: index + 1, place: at.placeOf(['each', index]) }))
  }
  const place = at.placeOf(['each'])
  const includedBy = { holder: at.source.path, folder, allowOutside }
  const source = await readSource(each, { cwd, includedBy, isTable: true })
  options.uses.add(source.path)
  if (source.value === undefined) {
    const [flaw] = source.diagnostics
    if (flaw?.position !== undefined) findings.addAll(source.diagnostics)
    else if (flaw !== undefined) findings.addUnreadable(place, each, flaw)
    return []
  }
  if (Array.isArray(source.value) && source.value.length === 0) {
    findings.add(place, 'missing', 'no-rows', { file: each })
    return []
  }
  const { value, diagnostics } = await checkSource(source, rowsSchema(), {
    cwd,
    folder,
    allowOutside,
    ...options,
  })
  findings.addAll(diagnostics)
  const { placeOf } = locatedIn(source)
  const rows = rowsSchema().safeParse(value).data ?? []
  return rows.map((values, index) => ({ values, number: index + 1, place: placeOf([index]) }))
}
