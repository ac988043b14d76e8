import type { Command } from '@commander-js/extra-typings'
import { type CheckedFile, readText } from '../../../files/source/index.ts'
import { plainText } from '../../../files/text/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isObject } from '../../../lib/json.ts'
import { count } from '../../../lib/text/count.ts'
import { bold, join, text } from '../../../lib/text/text.ts'
import { previewFile, pushFile } from '../../../project/apply/index.ts'
import {
  type BatchId,
  type FileEntry,
  type PushEvents,
  type PushPlan,
  type PushResult,
  parseBatchIds,
} from '../../../project/faq/index.ts'
import { resourceInProject } from '../../../project/resources/index.ts'
import { requireConnection } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context, Progress } from '../../shell/context.ts'
import { Flag, type OptionsOf, withFileFlags, withTargetFlag, yesFlag } from '../../shell/flags/flag.ts'
import { collect, integerParser } from '../../shell/flags/option-parsers.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { agreeToAccess } from '../consent.ts'
import { countRetries } from '../count-retries.ts'
import { checkResourceInProject, requestedId } from '../resolve-args.ts'

export const faqPushCommand = defineCommand({
  description: 'Insert new FAQ entries and update changed ones',
  examples: [
    'callyard faq push knowledge-bases/workshop.yaml',
    'callyard faq push questions.csv --kb 6650f0c2 --dry-run',
  ],
  topics: ['faq-push', 'files', 'projects'],
  effect: 'changes',
  flags: withPushFlags,
  result: pushResult,
  run: (options, context, [file]) => pushFaq(file, options, context),
  handlesSignal: () => true,
})

async function pushResult({ z, objectList, optional, required, requiredList }: SchemaBuilders) {
  const { notStoredSchema } = await import('../../../service/api/not-stored-schema.ts')
  const pushed = { knowledgeBaseId: z.string(), file: z.string() }
  const planned = { line: optional(z.int(), 'Line in the file, from 1'), question: z.string() }
  return {
    document: z.union([
      z.object({
        ...pushed,
        inserted: z.int(),
        updated: z.int(),
        unchanged: z.int(),
        ids: requiredList('Ids of all entries', { question: z.string(), id: z.string() }),
        unknown: required(
          z.array(z.unknown()),
          'Entries whose outcome is unknown: none after a push that succeeds',
        ),
        notStored: notStoredSchema,
      }),
      z.object({
        ...pushed,
        dryRun: z.literal(true),
        insert: objectList(planned),
        update: objectList({ id: z.optional(z.string()), ...planned }),
        unchanged: required(z.int(), 'Number of unchanged entries'),
      }),
    ]),
  }
}

function withPushFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command
        .argument('<file>', 'YAML, JSON or CSV file with the entries')
        .addOption(
          new Flag('--kb <id>', 'Knowledge base id or name (default: knowledgeBaseId in the file)').completes(
            'kb',
          ),
        ),
    )
      .option('--dry-run', 'Print what would be sent without sending or writing it')
      .addOption(yesFlag())
      .option('--batch-size <n>', 'Entries per request (default: 100)', integerParser(1, 10_000))
      .addOption(
        new Flag(
          '--adopt-batch <file>',
          'Assign ids to entries whose response was lost (- for stdin)',
        ).helpsWith({ 'batch-closed': 'run again without --adopt-batch' }),
      )
      .option('--resend-unknown', 'Resend entries whose response was lost')
      .addOption(new Flag('--forget <id>', 'Insert a deleted entry again').repeatable(collect)),
  )
}

type PushFaqOptions = OptionsOf<typeof withPushFlags>

/**
 * `faq push` (interface.md 4.6 and 4.7). In a project it shares lock, lockfile and hashes with apply. Exit 9 when it is
 * unknown whether the service has a batch.
 */
async function pushFaq(path: string, flags: PushFaqOptions, context: Context): Promise<void> {
  const { kb } = flags
  const options =
    kb === undefined ? flags : { ...flags, kb: await requestedId({ text: kb, kind: 'kb' }, flags, context) }
  const { batchSize = 100, resendUnknown = false, dryRun, target, forget } = options
  const resource = await checkResourceInProject(path, 'knowledge-base', options, context)
  const { checked } = resource
  const file = fileOf(checked)
  const around = await resourceInProject(checked.path, context.files)
  if (around !== undefined) assertOwnKnowledgeBase(options, checked, file)
  const knowledgeBaseId = chooseKnowledgeBase(options, file, context)
  const batchIds =
    options.adoptBatch === undefined ? undefined : await readBatchIds(options.adoptBatch, context)
  // A file without a knowledge base is not yet one of a project.
  const inProject = file.knowledgeBaseId === undefined ? undefined : around
  const settings = { knowledgeBaseId, batchSize, resendUnknown, batchIds, target, forget, inProject }
  if (dryRun === true)
    return showPlan(await previewFile(resource, settings, context), file, knowledgeBaseId, context)
  await agreeToAccess(context)
  requireConnection(await context.settings())
  const push = (events: PushEvents) => pushFile(resource, settings, context, events)
  await showPush(push, { file: checked.source.file, knowledgeBaseId }, context)
}

/** FAQ file with its knowledge base. */
type NamedFile = ReturnType<typeof fileOf>

function fileOf({ source, own, body }: CheckedFile) {
  const named = isObject(body) ? body.knowledgeBaseId : undefined
  return { source, own, knowledgeBaseId: typeof named === 'string' ? named : undefined }
}

async function readBatchIds(file: string, { resolve, host }: Context): Promise<BatchId[]> {
  if (file === '-' || file === '@-') return parseBatchIds(await host.stdin.text(), 'stdin')
  const read = await readText(resolve(file))
  if ('text' in read) return parseBatchIds(plainText(read.text), file)
  throw new CallyardError('invalid', `--adopt-batch: ${file}: ${read.error.message}; nothing was sent`, {
    hint: read.error.hint,
  })
}

/** Shows the progress and the result of a push. */
async function showPush(
  push: (events: PushEvents) => Promise<PushResult>,
  { file, knowledgeBaseId }: { readonly file: string; readonly knowledgeBaseId: string },
  context: Context,
): Promise<void> {
  const { output, signal, notStored } = context
  let progress: Progress | undefined
  let pushed = 0
  const show = () => progress?.update(pushed, retries.waitingText())
  const retries = countRetries(context, { isShown: () => progress?.isShown === true, show })
  const onAbort = () => output.note('finishing the current batch; press Ctrl-C again to exit immediately')
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const result = await push({
      onPlan(plan) {
        if (plan.unrecorded > 0) output.note(unrecordedNote(plan.unrecorded))
        const total = plan.inserts.length + plan.updates.length
        if (total > 0) progress = output.progress(`Pushing ${file}`, total)
      },
      onProgress(doneCount) {
        pushed = doneCount
        show()
      },
    })
    progress?.stop()
    retries.end()
    const { inserted, updated, unchanged } = result
    output.result(
      {
        knowledgeBaseId,
        file,
        inserted,
        updated,
        unchanged,
        // Listed only where they are printed.
        get ids() {
          return result.ids()
        },
        unknown: [],
        ...(notStored.length > 0 && { notStored }),
      },
      () =>
        text`Inserted ${String(inserted)}, updated ${String(updated)}, unchanged ${String(unchanged)} in knowledge base ${bold(knowledgeBaseId)}`,
    )
    // `faq push && …` must also stop if the signal came during the last batch.
    if (signal.aborted) throw new CallyardError('cancelled', 'cancelled; all entries were pushed')
  } finally {
    signal.removeEventListener('abort', onAbort)
    progress?.stop()
    retries.end()
  }
}

function unrecordedNote(number: number): string {
  const entries = count(number, 'entry has', 'entries have')
  return `${entries} an id but no record of an earlier push from here; ${number === 1 ? 'it is' : 'they are'} updated to be sure`
}

function showPlan(
  { inserts, updates, unchanged }: PushPlan,
  file: NamedFile,
  knowledgeBaseId: string,
  { output }: Context,
): void {
  const { file: name } = file.source
  const named = (entry: FileEntry) => ({ line: entry.position()?.line, question: entry.label })
  output.result(
    {
      knowledgeBaseId,
      file: name,
      dryRun: true,
      insert: inserts.map(named),
      update: updates.map(entry => ({ id: entry.id, ...named(entry) })),
      unchanged: unchanged.length,
    },
    () => {
      const rows = (sign: string, entries: readonly FileEntry[]) =>
        entries.map(entry => `${sign} ${name}:${entry.position()?.line ?? '?'} ${entry.label}`)
      const head = text`Would insert ${String(inserts.length)}, update ${String(updates.length)}, leave ${String(unchanged.length)} unchanged in knowledge base ${bold(knowledgeBaseId)}`
      return join([head, ...rows('+', inserts), ...rows('~', updates)])
    },
  )
}

/**
 * The lockfile, and with it every target, assigns the ids in a project's file to one knowledge base.
 * @throws CallyardError `usage` for a --kb of another one.
 */
function assertOwnKnowledgeBase(
  { kb }: PushFaqOptions,
  { fromEnvironment }: CheckedFile,
  { knowledgeBaseId, own: { file } }: NamedFile,
): void {
  if (kb === undefined || kb === '' || knowledgeBaseId === undefined || kb === knowledgeBaseId) return
  const concealed = fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  const base = concealed ? 'the knowledge base that it names' : `knowledge base ${knowledgeBaseId}`
  const message = `${file} belongs to a project, and its ids are those of ${base}; nothing was sent`
  throw new CallyardError('usage', message, {
    hint: `for ${kb}, copy the file to another folder and remove the ids from the copy; or change knowledgeBaseId`,
  })
}

/** The one of --kb, else the file's own. @throws CallyardError `usage` when neither says which. */
function chooseKnowledgeBase(
  { kb }: PushFaqOptions,
  { knowledgeBaseId, own: { file, format } }: NamedFile,
  { output }: Context,
): string {
  if (kb === '') throw new CallyardError('usage', '--kb is empty')
  if (kb !== undefined && knowledgeBaseId !== undefined && kb !== knowledgeBaseId) {
    output.warn(`${file} names knowledge base ${knowledgeBaseId}; --kb ${kb} is used instead`)
  }
  const baseId = kb ?? knowledgeBaseId
  if (baseId !== undefined) return baseId
  throw new CallyardError('usage', `${file} does not name its knowledge base`, {
    hint:
      format === 'csv'
        ? 'pass --kb <id>, or name the table with entries: in a YAML file that has knowledgeBaseId'
        : 'pass --kb <id>, or add knowledgeBaseId: <id> to the file',
  })
}
