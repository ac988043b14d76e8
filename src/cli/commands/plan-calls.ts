import { availableParallelism } from 'node:os'
import { callName } from '../../events/conversation/index.ts'
import { nameOf } from '../../files/formats/address.ts'
import { InvalidInput } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { flagForShell, quoteForShell } from '../../lib/text/escape.ts'
import { toTestProject } from '../../library/apply-project.ts'
import type { OpenProject } from '../../project/apply/index.ts'
import type { Plan, VersionChange } from '../../project/plan/index.ts'
import { openCassettes } from '../../scenario/cassette/index.ts'
import type { TestResult } from '../../scenario/index.ts'
import { readProjectNames, toReplayableCall } from '../../scenario/record/index.ts'
import {
  affectsOnlyModel,
  type ConversationChanges,
  createDifferenceCollector,
  type DifferenceGroup,
  explainedConversations,
  findCause,
  type PreparedReplay,
  prepareReplay,
  replayCalls,
  showsDifference,
} from '../../scenario/replay/index.ts'
import type { Context } from '../shell/context.ts'
import type { LlmOptions } from '../shell/flags/llm-flags.ts'
import { agreeToAccess } from './consent.ts'
import { openRecordingsInGroups } from './scenario/open-recording.ts'
import { connectBy } from './scenario/test-runner.ts'

interface CallsOptions extends LlmOptions {
  readonly calls?: readonly string[] | undefined
}

/**
 * Replays recorded calls on the deployed files and on the new ones. With a model, sends the requests without a recorded response, and
 * records them next to the first recording; else sends nothing.
 * @throws CallyardError `usage` for recordings that cannot be read, `cancelled` after the signal
 */
export async function replayRecordings(
  project: OpenProject,
  planned: Plan,
  options: CallsOptions,
  context: Context,
): Promise<ConversationChanges> {
  const { cwd, clock, signal, output } = context
  const recordings = [...new Set(options.calls)]
  const [first = ''] = recordings
  const usesModel = options.llmUrl !== undefined
  if (usesModel && first === '-')
    throw new CallyardError('usage', '--llm-url requires a recording in a file', {
      hint: 'the responses of the model are recorded next to the first file of --calls',
    })
  const versions = project.versions(planned)
  const names = await readProjectNames(versions.folder, cwd)
  const target = {
    names,
    deployed: new Set(versions.assistants.map(nameOf)),
    folder: versions.folder,
    recording: { path: context.resolve(first), file: first },
    model: usesModel ? 'recorded' : 'none',
  } as const
  const serviceVariables = (await context.settings()).project?.settings.serviceVariables
  const versionWith = (isIncluded: (change: VersionChange) => boolean) =>
    toTestProject({ ...project, serviceVariables, folder: versions.folder }, versions.withChanges(isIncluded))
  const run = { clock, signal, concurrency: availableParallelism() }
  const collector = createDifferenceCollector()
  const files = new Map<string, string>()
  if (usesModel) await agreeToAccess(context, { service: false })
  for await (const calls of openRecordingsInGroups(recordings, context, { isWhole: usesModel })) {
    const prepared: PreparedReplay[] = []
    for (const call of calls) {
      const id = callName(call.transcript)
      files.set(id, call.file)
      const ready = prepareReplay(id, call, toReplayableCall(call, names), target)
      if ('code' in ready) collector.addNotReplayed(id, ready)
      else prepared.push(ready)
    }
    const models = await openReplayModels(prepared, options, context)
    const progress = output.progress('Replays', prepared.length * 2)
    let doneCount = 0
    const replays = replayCalls(prepared, {
      ...{ ...run, openModels: models.openModels },
      versions: { deployed: versionWith(() => false), planned: versionWith(() => true) },
      onReplay(result) {
        models.onResult(result)
        progress.update(++doneCount)
      },
    })
    for (const [{ id }, call] of await replays.finally(progress.stop).finally(models.save))
      if ('code' in call) collector.addNotReplayed(id, call)
      else collector.addReplay(call)
  }
  const summary = collector.summary()
  const causeOf = async (group: DifferenceGroup) => {
    const { changes } = versions
    // A model would be asked about versions that nobody is going to deploy.
    if (changes.length > 1 && usesModel) return undefined
    const { openModels } = await openReplayModels([group.example], options, context)
    return findCause(changes, async included => {
      const version = versionWith(change => included.includes(change))
      return showsDifference(group, version, { ...run, openModels })
    })
  }
  const causes: (VersionChange | undefined)[] = []
  for (const group of summary.groups.slice(0, maxCauses)) causes.push(await causeOf(group))
  const short = shortIds([...files.keys()])
  return explainedConversations(summary, {
    recordings,
    recordCommand: id =>
      [
        'callyard test record',
        quoteForShell(files.get(id) ?? ''),
        flagForShell('--call', short.get(id) ?? id),
      ].join(' '),
    causes,
    tools: names.tools,
    model: target.model,
    unseen: usesModel ? [] : versions.changes.filter(affectsOnlyModel),
    unknown: versions.unknown,
  })
}

/** Groups whose cause is searched, each by a few replays. */
const maxCauses = 20

/** Opens the models of replays. `save` writes new responses, also after an abort: each cost a request. */
async function openReplayModels(
  prepared: readonly PreparedReplay[],
  options: CallsOptions,
  context: Context,
) {
  const { clock, signal, output } = context
  const usesModel = options.llmUrl !== undefined
  const results: TestResult[] = []
  const cassettes = await openCassettes({
    tests: prepared.map(({ test }) => test),
    variables: new Map(context.sending.flatMap(({ references }) => [...references.variables])),
    update: usesModel,
    connect: connectBy(options, context),
    clock,
    signal,
  })
  const broken = usesModel ? cassettes.diagnostics.filter(({ severity }) => severity === 'error') : []
  if (broken.length > 0) throw new InvalidInput(broken, 'no call was replayed')
  return {
    openModels: cassettes.openModels,
    onResult: (result: TestResult) => void (usesModel && results.push(result)),
    async save(): Promise<void> {
      for (const change of await cassettes.changes(results)) {
        if (change.isUnused) continue
        await change.write(clock, 0o600)
        output.note(`Recorded ${change.responses.length} new responses in ${change.file}`)
      }
    },
  }
}
