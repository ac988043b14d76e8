import type { Context, Progress } from '../../context.ts'
import { CliError, InvalidInput } from '../../errors.ts'
import { formatDiagnostics } from '../../output/diagnostics.ts'
import { bold, join, type Text, text } from '../../output/text.ts'
import { type Entry, type FaqFile, readEntries } from '../../project/faq/entries.ts'
import type { PushPlan } from '../../project/faq/plan.ts'
import { previewPush, pushEntries } from '../../project/faq/push-entries.ts'
import type { PushJob } from '../../project/faq/push-state.ts'
import { checkFileInProject, resourceInProject } from '../../project/load/file-in-project.ts'
import type { CheckedFile } from '../../source/check-file.ts'
import { recordedResource } from '../project/recorded-resource.ts'
import { openLonePush, previewLonePush } from './open-push.ts'
import { openProjectPush, previewProjectPush } from './project-push.ts'

export interface PushFaqOptions {
  readonly file: string
  /** Knowledge base id; wins over the file's own. */
  readonly kb?: string
  readonly dryRun?: boolean
  /** 100 unless given. */
  readonly batchSize?: number
  readonly resendUnknown?: boolean
  readonly allowUnknown?: boolean
}

/**
 * `faq push` (interface.md 4.6 and 4.7). In a project it shares lock, lockfile and hashes with apply. Exit 9 when nobody
 * knows whether the service has a batch.
 */
export async function pushFaq(options: PushFaqOptions, context: Context): Promise<void> {
  const { batchSize = 100, resendUnknown = false, dryRun } = options
  const checked = await loadFile(options, context)
  const file = readEntries(checked.source, checked.body)
  const knowledgeBaseId = chooseKnowledgeBase(options, file, context)
  const settings = { knowledgeBaseId, batchSize, resendUnknown }
  // With --kb the entries go elsewhere than the project's: that is none of its business.
  const inProject =
    knowledgeBaseId === file.knowledgeBaseId
      ? await resourceInProject(checked.source.path, context)
      : undefined
  if (dryRun === true) {
    const job =
      inProject === undefined
        ? await previewLonePush(checked, settings, context)
        : await previewProjectPush(inProject, checked, settings, context)
    return showPlan(previewPush(job), file, knowledgeBaseId, context)
  }
  const { job, assertAlone, release } =
    inProject === undefined
      ? await openLonePush(checked, settings, context)
      : await openProjectPush(inProject, checked, settings, context)
  try {
    await push(job, assertAlone, context)
  } finally {
    await release()
  }
}

async function loadFile({ file, allowUnknown }: PushFaqOptions, context: Context): Promise<CheckedFile> {
  const { cwd, env, output } = context
  const vocabulary = (await context.settings()).vocabulary.value
  const options = { cwd, env, vocabulary, allowUnknown }
  const checked = await checkFileInProject(file, 'knowledge-base', options, recordedResource(context))
  if (checked.body === undefined || checked.diagnostics.some(({ severity }) => severity === 'error')) {
    throw new InvalidInput(checked.diagnostics)
  }
  for (const diagnostic of checked.diagnostics) output.warn(formatDiagnostics([diagnostic]))
  return checked
}

function chooseKnowledgeBase({ kb }: PushFaqOptions, file: FaqFile, { output }: Context): string {
  const { knowledgeBaseId, source } = file
  if (kb === '') throw new CliError('usage', '--kb is empty')
  if (kb !== undefined && knowledgeBaseId !== undefined && kb !== knowledgeBaseId) {
    output.warn(`${source.file} names knowledge base ${knowledgeBaseId}; --kb ${kb} is used instead`)
  }
  const chosen = kb ?? knowledgeBaseId
  if (chosen !== undefined) return chosen
  throw new CliError('usage', `which knowledge base do the entries of ${source.file} belong to?`, {
    hint:
      source.format === 'csv'
        ? 'give --kb <id>; a CSV file has no place for it, a YAML or JSON file takes knowledgeBaseId'
        : 'give --kb <id>, or write knowledgeBaseId: <id> into the file',
  })
}

async function push(job: PushJob, assertAlone: () => Promise<void>, context: Context): Promise<void> {
  const { output, signal } = context
  const { file, target } = job
  let progress: Progress | undefined
  try {
    const result = await pushEntries(job, {
      api: context.api(),
      signal,
      assertAlone,
      onPlan(plan) {
        if (plan.unrecorded > 0) output.note(unrecordedNote(plan.unrecorded))
        const total = [...plan.inserts, ...plan.updates].flat().length
        if (total > 0) progress = output.progress(`Pushing ${file.source.file}`, total)
      },
      onProgress: done => progress?.update(done),
    })
    progress?.stop()
    const { knowledgeBaseId } = target
    const { inserted, updated, unchanged } = result
    output.result(
      { knowledgeBaseId, file: file.source.file, ...result, unknown: [] },
      () =>
        text`Inserted ${String(inserted)}, updated ${String(updated)}, unchanged ${String(unchanged)} in knowledge base ${bold(knowledgeBaseId)}`,
    )
  } finally {
    progress?.stop()
  }
}

function unrecordedNote(count: number): string {
  return count === 1
    ? '1 entry has an id but no record of an earlier push from here; it is updated to be sure'
    : `${count} entries have an id but no record of an earlier push from here; they are updated to be sure`
}

function showPlan(
  { inserts, updates, unchanged }: PushPlan,
  file: FaqFile,
  knowledgeBaseId: string,
  { output }: Context,
): void {
  const { file: name } = file.source
  const named = (entry: Entry) => ({ line: entry.position?.line, question: entry.label })
  const insert = inserts.flat()
  const update = updates.flat()
  output.result(
    {
      knowledgeBaseId,
      file: name,
      dryRun: true,
      insert: insert.map(named),
      update: update.map(entry => ({ id: entry.id, ...named(entry) })),
      unchanged: unchanged.length,
    },
    () => {
      const row =
        (sign: string) =>
        (entry: Entry): Text =>
          text`${sign} ${name}:${String(entry.position?.line ?? '?')} ${entry.label}`
      const head = text`Would insert ${String(insert.length)}, update ${String(update.length)}, leave ${String(unchanged.length)} unchanged in knowledge base ${bold(knowledgeBaseId)}`
      return join([head, ...insert.map(row('+')), ...update.map(row('~'))], '\n')
    },
  )
}
