import { openRows, type Person, planBatch, variablesOf } from '../batch/index.ts'
import { formatFieldPath } from '../interface/check.ts'
import type { Clock } from '../lib/clock.ts'
import { withFindingMessages } from '../messages/with-words.ts'
import type { Diagnostic } from '../source/index.ts'
import { planSchema, settingsSchema } from './batch-options.ts'
import { checkOptions } from './errors.ts'
import type { BatchFinding, BatchOptions, BatchPerson, BatchPlan, PlanBatchOptions } from './public-batch.ts'

/** A batch as its options give it. */
export type OpenedRows = Awaited<ReturnType<typeof openRows>>

/** See `planBatch` of the entry. */
export async function planRows(options: PlanBatchOptions, clock: Pick<Clock, 'now'>): Promise<BatchPlan> {
  checkOptions(planSchema(), options, 'planBatch')
  const opened = await toRowsBatch(options)
  const planned = planBatch({ ...opened, now: options.now?.getTime() ?? clock.now() })
  const { people, findings, warnings, skipped, calls, leastMs, zones, until } = planned
  return {
    problems: await toBatchFindings([...opened.problems, ...planned.problems], opened),
    findings: await toBatchFindings([...warnings, ...findings.kept], opened),
    findingCounts: Object.fromEntries(findings.counts),
    people: people.map(person => toBatchPerson(person, opened)),
    skipped,
    calls,
    leastMs,
    zones: zones.map(({ zone, people: number, opensAt, openMs }) => ({
      timezone: zone,
      people: number,
      opensAt: new Date(opensAt).toISOString(),
      openMs,
    })),
    until: until === undefined ? undefined : new Date(until).toISOString(),
  }
}

/** Opens the batch of options that passed their schema. Later changes of the options have no effect. */
export function toRowsBatch({
  people,
  doNotCall,
  usedVariables,
  ...settings
}: BatchOptions): Promise<OpenedRows> {
  return openRows(settingsSchema().parse(settings), { people, doNotCall, usedVariables })
}

export function toBatchPerson(person: Person, opened: OpenedRows): BatchPerson {
  const { id, numbers, zone, row } = person
  return { id, numbers: [...numbers], timezone: zone, variables: variablesOf(person, opened), row }
}

/** Returns findings with their messages, by row and column or by option. */
export async function toBatchFindings(
  diagnostics: readonly Diagnostic[],
  { tables: [table], file: settings }: Pick<OpenedRows, 'tables' | 'file'>,
): Promise<BatchFinding[]> {
  const worded = await withFindingMessages(diagnostics)
  return worded.map(({ code, severity, message, file, path, position, ...finding }, index) => {
    const isRow = file === table?.file && path.length > 0
    const { column = table?.columns[(position?.column ?? 0) - 1] } = diagnostics[index]?.details ?? {}
    const hint = hints[code] ?? finding.hint
    return {
      ...{ code, severity, message },
      ...(isRow
        ? { row: Number(path[0]) }
        : { field: file === settings ? formatFieldPath(path) : fieldOf(file, position) }),
      ...(typeof column === 'string' && (isRow || code === 'unused-column') && { column }),
      ...(hint === undefined ? {} : { hint }),
    }
  })
}

/** Returns the option whose list a finding is about. A position has a row only in the numbers that are not called. */
function fieldOf(file: string, position: Diagnostic['position']): string {
  return file === 'people' || position === undefined ? file : `${file}[${position.line - 1}]`
}

/** Hints whose words for the command line name a flag or a file. */
const hints: Readonly<Record<string, string>> = {
  'no-window': 'set window: { hours: "09:00-20:00", timezone: "America/New_York" }',
}
