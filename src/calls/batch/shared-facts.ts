import { createHash } from 'node:crypto'
import type { BatchFile } from '../../files/formats/batch.ts'
import { CallyardError } from '../../lib/error.ts'
import { maskedBatch } from './batch-record.ts'
import type { OpenBatch } from './open-batch.ts'
import type { BatchPlan } from './plan.ts'
import type { BatchState, SharedFacts } from './state.ts'

/** Settings that may differ between runners: paths of files whose content is compared, and what each runner does for itself. */
const local: ReadonlySet<string> = new Set([
  'list',
  'assistant',
  'doNotCall',
  'check',
  'results',
] satisfies (keyof BatchFile)[])

/** Returns the facts that all runners of a batch must have in common. */
export function sharedFactsOf(opened: OpenBatch, { people }: BatchPlan): SharedFacts {
  const settings = Object.entries(maskedBatch(opened)).filter(([name]) => !local.has(name))
  const assistant = opened.assistant?.masked
  const lists = [opened.batch.list].flat().length
  const rows = opened.tables
    .slice(0, lists)
    .map(({ columns, rows: tableRows }) => [
      columns,
      Array.from({ length: tableRows.length }, (_, row) => tableRows.at(row)?.cells),
    ])
  return {
    people: people.length,
    settings: {
      ...Object.fromEntries(settings),
      ...(assistant !== undefined && { assistant: hashOf(assistant) }),
    },
    rows: hashOf(rows),
  }
}

/**
 * Compares a batch with what its first runner has recorded.
 * @throws CallyardError `conflict` for another service, settings or rows
 */
export function assertSameBatch(
  begun: BatchState['begun'],
  { service, shared }: { readonly service: string; readonly shared: SharedFacts },
): void {
  if (begun === undefined) return
  const before = begun.shared
  const names = [...new Set([...Object.keys(before?.settings ?? {}), ...Object.keys(shared.settings)])]
  const differences = [
    ...(begun.service === service ? [] : ['the service']),
    ...names.filter(name => hashOf(before?.settings[name]) !== hashOf(shared.settings[name])),
    ...(before?.rows === shared.rows ? [] : ['the rows of the list']),
  ]
  if (differences.length === 0) return
  throw new CallyardError(
    'conflict',
    `another batch of this name was begun with ${begun.file} at ${begun.at}: ${differences.join(', ')} differ`,
    {
      code: 'batch-differs',
      hint: 'run it with the same files on each machine, add people to the batch, or give this one another name',
      details: { differences },
    },
  )
}

/** Hash of a JSON value, in which the order of fields makes no difference. */
function hashOf(value: unknown): string {
  const sorted = JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([one], [other]) => (one < other ? -1 : 1)))
      : field,
  )
  return createHash('sha256')
    .update(sorted ?? '')
    .digest('base64url')
    .slice(0, 22)
}
