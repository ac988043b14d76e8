import type { BatchPlan, OpenBatch } from '../../../calls/batch/index.ts'
import { type BatchChanges, findChanges } from '../../../calls/batch/status/index.ts'
import { listed } from '../../../lib/text/count.ts'
import { dim, join, type Text, text } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'

/** Prints what has changed in a batch and its lists since the last run, and how many people are not called again. */
export function showChanges(opened: OpenBatch, planned: BatchPlan, { output }: Context): void {
  const { begun } = opened.state
  const { people } = planned
  const { called } = planned
  if (called > 0 && begun !== undefined)
    output.note(
      `${called} of ${people.length} were called since ${begun.at.slice(0, 10)} and are not called again`,
    )
  const changes = findChanges(opened, planned)
  const lines = changes === undefined ? [] : changeLines(changes)
  if (lines.length > 0) output.note(join([dim('Changed since the last run:'), ...lines]))
}

const maxNames = 5

function changeLines({ settings, added, removed, changed }: BatchChanges): Text[] {
  const people = [
    ['+', 'added', added],
    ['-', 'no longer in the list', removed],
    ['~', 'with other values', changed],
  ] as const
  return [
    ...settings.map(
      ({ field, before, after }) => text`  ~ ${field}: ${formatValue(before)} → ${formatValue(after)}`,
    ),
    ...people.flatMap(([sign, label, ids]) =>
      ids.length === 0 ? [] : [text`  ${sign} ${String(ids.length)} ${label}: ${listed(ids, maxNames)}`],
    ),
  ]
}

function formatValue(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value)
}
