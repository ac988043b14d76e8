import type { CallwrightError } from '../../lib/error.ts'
import { type BatchIdFault, projectError } from '../errors.ts'
import { isWritableId, normalForm } from './match.ts'
import type { OpenEntry, Recovery } from './recover.ts'

/** An id that the service has given to an entry of an open batch, as a person says. */
export interface BatchId {
  readonly id: string
  /** Where the person names it; else the order of the batch does. */
  readonly question: string | undefined
  readonly line: number
}

/**
 * The ids of `--adopt-batch`: one per line in the order of the batch, or lines `id<TAB>question`. Empty lines are skipped.
 * `name` is the file, for errors.
 * @throws CliError `usage` for no ids, both forms in one file, an id that no file can hold, or an id or question twice.
 */
export function parseBatchIds(text: string, name: string): BatchId[] {
  const ids = text.split(/\r\n|\n|\r/).flatMap((written, index): BatchId[] => {
    if (written.trim() === '') return []
    const [id = '', ...rest] = written.split('\t')
    return [
      { id: id.trim(), question: rest.length === 0 ? undefined : rest.join('\t').trim(), line: index + 1 },
    ]
  })
  if (ids.length === 0) throw wrong({ fault: 'empty', file: name })
  const withQuestion = ids.filter(({ question }) => question !== undefined).length
  if (withQuestion !== 0 && withQuestion !== ids.length) throw wrong({ fault: 'mixed', file: name })
  const lineOfId = new Map<string, number>()
  const lineOfQuestion = new Map<string, number>()
  for (const { id, question, line } of ids) {
    if (!isWritableId(id)) throw wrong({ fault: 'malformed', file: name, line })
    const same = lineOfId.get(id) ?? (question && lineOfQuestion.get(normalForm(question)))
    if (same) throw wrong({ fault: 'repeated', file: name, line, same })
    lineOfId.set(id, line)
    if (question !== undefined) lineOfQuestion.set(normalForm(question), line)
  }
  return ids
}

/**
 * Gives the open entries of an earlier push the ids that a person found at the service. In the form with questions,
 * entries without a line stay open. Pure.
 * @throws CliError `usage` when nothing is open, the count is another one, a question is not open, or an id is known.
 */
export function adoptBatch(
  { placed, settled, open }: Recovery,
  ids: readonly BatchId[],
  isKnown: (id: string) => boolean,
): Recovery {
  if (open.length === 0) throw projectError('usage', 'batch-closed', {})
  const known = ids.find(({ id }) => isKnown(id))
  if (known !== undefined) throw wrong({ fault: 'known', line: known.line, id: known.id })
  const idOf = ids[0]?.question === undefined ? byOrder(open, ids) : byQuestion(open, ids)
  const adopted: { placed: Recovery['placed'][number][]; settled: Recovery['settled'][number][] } = {
    placed: [...placed],
    settled: [...settled],
  }
  const left = open.filter(each => {
    const { pending, entry } = each
    const id = idOf(each)
    if (id === undefined) return true
    // An entry that the file holds no more is only recorded: plan then lists it as orphaned.
    if (entry === undefined || entry.id !== undefined) adopted.settled.push({ ...pending, id })
    else adopted.placed.push({ entry, pushed: { key: entry.key ?? id, id, hash: pending.content } })
    return false
  })
  return { ...adopted, open: left }
}

function byOrder(open: readonly OpenEntry[], ids: readonly BatchId[]) {
  if (ids.length !== open.length) throw wrong({ fault: 'count', ids: ids.length, open: open.length })
  const byEntry = new Map(open.map((each, index) => [each, ids[index]?.id]))
  return (each: OpenEntry) => byEntry.get(each)
}

function byQuestion(open: readonly OpenEntry[], ids: readonly BatchId[]) {
  const names = ({ entry }: OpenEntry) =>
    entry === undefined ? [] : [normalForm(entry.question), normalForm(entry.label)]
  const questions = new Set(open.flatMap(names))
  const idOf = new Map(ids.map(({ id, question = '' }) => [normalForm(question), id]))
  const stray = ids.find(({ question = '' }) => !questions.has(normalForm(question)))
  if (stray !== undefined) throw wrong({ fault: 'not-open', line: stray.line, question: stray.question })
  return (each: OpenEntry) => {
    const name = names(each).find(question => idOf.has(question))
    return name === undefined ? undefined : idOf.get(name)
  }
}

function wrong(fault: BatchIdFault): CallwrightError {
  return projectError('usage', 'batch-ids', fault)
}
