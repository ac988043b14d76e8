import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { count } from '../../lib/text/count.ts'
import { table } from '../../lib/text/table.ts'
import { bold, text } from '../../lib/text/text.ts'
import { findResources } from '../../project/index.ts'
import { askKnowledge, type FaqRecord } from '../../sandbox/index.ts'
import { type CheckedFile, displayName } from '../../source/index.ts'
import { entriesOf } from '../call/chat/records.ts'
import { askedFile, checkResourceInProject } from '../project/in-project.ts'
import type { AskFaqOptions } from './ask.ts'

/** As many as a model is given. */
const defaultLimit = 3

/**
 * `faq ask`: the entries that a call finds for a question, the one that is said first. Sends nothing.
 * @throws CallwrightError `partial` when no entry answers it
 */
export async function askFaq(
  question: string,
  given: readonly string[],
  options: AskFaqOptions,
  context: Context,
): Promise<void> {
  if (question.trim() === '') throw new CallwrightError('usage', 'the question is empty')
  const bases = createBases()
  for (const file of await chooseFiles(given, context))
    bases.add((await checkResourceInProject(file, 'knowledge-base', options, context)).checked)
  const { hits, says } = await askKnowledge(bases.all(), question, options.limit ?? defaultLimit)
  const entries = hits.map(({ entry, score, share }) => ({
    ...bases.placeOf(entry),
    question: entry.question,
    answer: entry.answer,
    ...(typeof entry.category === 'string' ? { category: entry.category } : {}),
    ...{ score: rounded(score), share: rounded(share) },
  }))
  context.output.result({ question, says, entries }, () =>
    entries.length === 0
      ? text`Without a model the assistant says: ${says}`
      : text`${bold('Without a model the assistant says:')} ${says}\n\n${tableOf(entries, context.output.width)}`,
  )
  if (entries.length > 0) return
  const searched = count(bases.size(), 'entry', 'entries')
  throw new CallwrightError('partial', `no entry answers ${JSON.stringify(question)}: ${searched} searched`, {
    hint: 'add an entry, or words of the question to the entry that is meant',
  })
}

/** @throws CallwrightError `usage` when none is given, and there is no project or it has none */
async function chooseFiles(given: readonly string[], context: Context): Promise<string[]> {
  if (given.length > 0) {
    const files: string[] = []
    for (const each of given) files.push(await askedFile(each, 'kb', context))
    return [...new Set(files)]
  }
  const { project } = await context.settings()
  const { files = [] } = project === undefined ? {} : await findResources(dirname(project.file), context.cwd)
  const found = files.flatMap(({ kind, path }) => (kind === 'kb' ? [displayName(path, context.cwd)] : []))
  if (found.length > 0) return found
  const why = project === undefined ? 'there is no project here' : 'this project has none'
  throw new CallwrightError('usage', `no knowledge base is given, and ${why}`, {
    hint: 'give a file of entries: callwright faq ask "When are you open?" knowledge-bases/workshop.yaml',
  })
}

/** The entries of files, by the knowledge bases that they belong to: several files may hold entries of one. */
function createBases() {
  const bases = new Map<string, FaqRecord[]>()
  const places = new Map<FaqRecord, { readonly checked: CheckedFile; readonly index: number }>()
  return {
    add(checked: CheckedFile) {
      const { body, source } = checked
      const named = isObject(body) && typeof body.knowledgeBaseId === 'string' ? body.knowledgeBaseId : ''
      // A file that names none is one of its own.
      const base = named || source.path
      const entries = entriesOf(checked)
      for (const [index, entry] of entries.entries()) places.set(entry, { checked, index })
      bases.set(base, [...(bases.get(base) ?? []), ...entries])
    },
    size: () => places.size,
    all: () =>
      Array.from(bases, ([knowledgeBaseId, entries]) => ({ kind: 'faq' as const, knowledgeBaseId, entries })),
    placeOf(entry: FaqRecord) {
      const place = places.get(entry)
      const line = place?.checked.source.positionOf(['faq', place.index], 'value')?.line
      return { file: place?.checked.source.file ?? '', ...(line === undefined ? {} : { line }) }
    },
  }
}

interface ShownEntry {
  readonly file: string
  readonly line?: number
  readonly question: string
  readonly score: number
  readonly share: number
}

function tableOf(entries: readonly ShownEntry[], width: number) {
  return table(
    entries,
    [
      { heading: 'SCORE', cell: ({ score }) => score.toFixed(1), min: 5, align: 'right' },
      { heading: 'MATCHES', cell: ({ share }) => `${Math.round(share * 100)}%`, min: 4, align: 'right' },
      { heading: 'QUESTION', cell: ({ question }) => question, min: 12 },
      {
        heading: 'WHERE',
        cell: ({ file, line }) => (line === undefined ? file : `${file}:${line}`),
        min: 16,
        cut: 'beginning',
      },
    ],
    width,
  )
}

function rounded(number: number): number {
  return Math.round(number * 1000) / 1000
}
