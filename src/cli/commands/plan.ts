import { stat } from 'node:fs/promises'
import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import manifest from '../../../package.json' with { type: 'json' }
import { accessOfProject } from '../../calls/place/index.ts'
import { type Access, collectAccess, isEmptyAccess } from '../../files/access/index.ts'
import { type DifferenceCategory, differenceCategories } from '../../files/formats/differences.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import { formatFieldPath } from '../../interface/check.ts'
import { CallyardError } from '../../lib/error.ts'
import { cannotWrite } from '../../lib/fs/replace-file.ts'
import { count, listed } from '../../lib/text/count.ts'
import { join, text } from '../../lib/text/text.ts'
import { knownUpToDate, openProject, projectFile, settleKilledRun } from '../../project/apply/index.ts'
import { lockfileName } from '../../project/lockfile/index.ts'
import { isPending, type PlanDocument } from '../../project/plan/index.ts'
import type { ConversationChanges } from '../../scenario/replay/index.ts'
import { commandLine, suggest } from '../shell/advice.ts'
import { type Reports, withReports, writeOutputFile } from '../shell/ci-reports/open-reports.ts'
import { createTimer, type ReportCase } from '../shell/ci-reports/report.ts'
import { blockedFindings, resourceCases } from '../shell/ci-reports/resource-cases.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { Flag, type OptionsOf, withFileFlags, withTargetFlag, yesFlag } from '../shell/flags/flag.ts'
import { withLlmFlags } from '../shell/flags/llm-flags.ts'
import { collect } from '../shell/flags/option-parsers.ts'
import { isStdout, outFlags } from '../shell/flags/out-flag.ts'
import { planDocument } from '../shell/plan-words.ts'
import { applyAt, commandAt, type RunTarget } from '../shell/project-hints.ts'
import { usesText } from '../shell/render/access.ts'
import { renderPlan } from '../shell/render/plan.ts'
import { originOfBaseUrl, targetName } from './target.ts'
import { printWarnings } from './warnings.ts'

export const planCommand = defineCommand({
  description: 'Show what apply would change without sending anything',
  examples: [
    'callyard plan',
    'callyard plan --target production --out plan.json',
    'callyard plan --calls last-week.ndjson --fail-on tool-calls,ending',
  ],
  topics: ['projects', 'rollback', 'testing'],
  effect: 'none',
  flags: withFlags,
  needs: { calls: ['failOn', 'llmUrl'], llmUrl: ['llmModel', 'yes'] },
  async result({ z, optional }) {
    const { planSchema } = await import('../../project/plan/plan-schema.ts')
    const { accessSchema } = await import('../../files/access/access-schema.ts')
    const { conversationChangesSchema } = await import('../../scenario/replay/schema.ts')
    return {
      document: z.extend(planSchema, {
        access: accessSchema,
        conversations: optional(
          conversationChangesSchema,
          'With --calls: how recorded calls would go differently',
        ),
      }),
    }
  },
  run: async (options, context) => plan(options, context),
})

function withFlags(command: Command) {
  return withReplayFlags(
    withFileFlags(
      withTargetFlag(command)
        .option('--new-target', 'Allow a second target at a known base URL')
        .addOption(
          outFlags('Write the plan for callyard apply <file> (.json), JUnit (.xml) or SARIF (.sarif)', [
            'sarif',
            'junit',
            'json',
          ]),
        )
        .option('--resend', 'Show what apply --resend would send')
        .option('--exit-code', 'Exit with 7 if changes are pending, 8 if any are blocked'),
      'Accept',
    ),
  )
}

/** Adds the flags of replays. */
function withReplayFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withLlmFlags(
    command
      .optionsGroup('RECORDED CALLS')
      .addOption(
        new Flag('--calls <recording>', 'Show how recorded calls would go differently').repeatable(collect),
      )
      .addOption(
        new Flag(
          '--fail-on <categories>',
          `Exit with 8 if calls differ in ${listed(differenceCategories)}`,
        ).repeatable(collectCategories),
      ),
  ).addOption(yesFlag('Ask the model without confirmation'))
}

function collectCategories(
  text: string,
  collected: readonly DifferenceCategory[] = [],
): DifferenceCategory[] {
  const categories = text.split(',').map(word => {
    const category = differenceCategories.find(candidate => candidate === word.trim())
    if (category === undefined)
      throw new InvalidArgumentError(`Use ${differenceCategories.join(', ')}, separated by commas.`)
    return category
  })
  return [...collected, ...categories]
}

type PlanOptions = OptionsOf<typeof withFlags>

/**
 * `plan`: shows what an apply would do. Sends nothing to the service, and writes nothing but the files of --out, what
 * callyard itself remembers, into the lockfile what a killed run did, and the responses of a model that --llm-url names.
 */
export async function plan(options: PlanOptions, context: Context): Promise<void> {
  const target = () => targetName(options.target, context)
  const run = { command: 'plan', done: 'the plan is made', target } as const
  await withReports(run, options, context, reports => showPlan(options, context, reports))
}

const { version } = manifest

async function showPlan(options: PlanOptions, context: Context, reports: Reports): Promise<void> {
  const { output, clock } = context
  const { out = [], calls, resend } = options
  await settle(context)
  if (out.length === 0 && [calls, resend].every(flag => flag === undefined)) {
    const cachedPlan = await knownUpToDate({ ...options, version }, context)
    if (cachedPlan !== undefined) {
      showFindings(cachedPlan.warnings, context)
      return printPlan(planDocument(cachedPlan.plan, context.runFlags), cachedPlan.access, context)
    }
  }
  const timer = createTimer(clock)
  const project = await openProject({ ...options, version, onCheck: timer.start }, context)
  const { target, resources } = project
  const warnings = showFindings(project.warnings, context)
  const planned = resend === true ? project.plan(project.override({}).section) : project.plan()
  const printedPlan = planDocument(planned, context.runFlags)
  const savedPlans = out.filter(({ format }) => format === 'json')
  if (savedPlans.length > 0) {
    if (target.baseUrl === undefined) {
      const message = 'no base URL is set: a saved plan needs one'
      throw new CallyardError('usage', message, { hint: 'choose a profile, or pass --base-url' })
    }
    const saved = JSON.stringify(await project.toSaved(printedPlan), null, 2)
    for (const { file } of savedPlans) await write(file, saved, context)
  }
  await project.remember(planned)
  const conversations =
    calls === undefined
      ? undefined
      : await (await import('./plan-calls.ts')).replayRecordings(project, planned, options, context)
  await printPlan(printedPlan, collectAccess(resources.map(({ checked }) => checked)), context, conversations)
  const differences = (conversations?.groups ?? []).map(group => differenceCase(group, options))
  output.annotate(
    differences.flatMap(difference => difference.findings.filter(({ file }) => file !== lockfileName)),
  )
  const findings = [...warnings, ...blockedFindings(printedPlan.actions)]
  const paths = new Map(resources.map(({ address, path }) => [address, path]))
  const cases = resourceCases(printedPlan.actions, findings, address =>
    timer.durationOf(paths.get(address) ?? ''),
  )
  await reports.write({ target: target.name, cases: [...cases, ...differences] })
  const end = await exitErrorOf(printedPlan.actions, options, conversations, {
    target: target.name,
    run: context.runFlags,
  })
  if (end !== undefined) throw end
}

/** Prints warnings, also as annotations, and returns them with hints. */
function showFindings(found: readonly Diagnostic[], context: Context): readonly Diagnostic[] {
  const warnings = context.withFindingHints(found)
  printWarnings(warnings, context)
  context.output.annotate(warnings)
  return warnings
}

/** A lockfile that cannot be written does not prevent a plan: it is read together with its journal. */
async function settle(context: Context): Promise<void> {
  const { output } = context
  await projectFile(context)
  try {
    if (await settleKilledRun(context))
      output.note(`${lockfileName} now contains what a killed run did; commit it`)
  } catch (error) {
    if (!(error instanceof CallyardError) || error.kind !== 'usage') throw error
    output.warn(context.withHints(error).message)
  }
}

async function printPlan(
  printedPlan: PlanDocument,
  used: Access,
  context: Context,
  conversations?: ConversationChanges,
): Promise<void> {
  const { output } = context
  const access = await accessOfProject(used, context)
  const { width } = output
  const origin = await originOfBaseUrl(printedPlan.target, context)
  const uses = isEmptyAccess(access) ? '' : text`\n\n${usesText(access)}`
  const replays =
    conversations === undefined
      ? ''
      : (await import('../shell/render/conversation-changes.ts')).renderConversations(conversations, {
          width,
          target: printedPlan.target,
          lockfile: lockfileName,
        })
  output.result({ ...printedPlan, access, conversations }, () => {
    const plan = text`${renderPlan(printedPlan, width, origin)}${uses}`
    return replays === '' ? plan : join([plan, replays], '\n\n')
  })
  for (const { address, path } of conversations?.unseen ?? [])
    output.warn(
      `${address}: ${formatFieldPath(path)} changed, which replies by rule do not use`,
      'to replay with a model, pass --llm-url',
    )
  for (const reason of conversations?.unknown ?? []) output.warn(reason)
}

/**
 * Returns a difference of calls as a case of reports, with a finding at the change that it comes from; at the lockfile if that is unknown.
 * It fails if --fail-on names its category.
 */
function differenceCase(
  { calls, text: difference, code, category, cause }: ConversationChanges['groups'][number],
  { failOn = [] }: PlanOptions,
): ReportCase {
  const { file, path, line, column = 1 } = cause ?? { file: lockfileName, path: [] }
  const finding: Diagnostic = {
    ...{ file, path, code, at: 'value' },
    position: line === undefined ? undefined : { line, column },
    severity: failOn.includes(category) ? 'error' : 'warning',
    message: `of the recorded calls, ${calls.length} ${difference}`,
  }
  return { kind: 'calls', name: `${calls.length} ${difference}`, file, findings: [finding] }
}

/**
 * Returns the error that ends a plan: 8 if something is blocked, or if calls differ as --fail-on says; 7 with --exit-code if changes are
 * pending.
 */
async function exitErrorOf(
  actions: PlanDocument['actions'],
  { exitCode = false, failOn }: PlanOptions,
  conversations: ConversationChanges | undefined,
  at: RunTarget,
): Promise<CallyardError | undefined> {
  const gate =
    conversations && (await import('../shell/render/conversation-changes.ts')).gateText(conversations, failOn)
  const blocked = actions.filter(({ action }) => action === 'blocked').map(({ address }) => address)
  const pending = actions.filter(isPending).length
  if (blocked.length > 0) {
    const [subject, them] =
      blocked.length === 1 ? [`${blocked[0]} is`, 'it'] : [`${blocked.length} resources are`, 'them']
    const parts = [`${subject} blocked; apply does not change ${them}`, ...(gate === undefined ? [] : [gate])]
    return new CallyardError('partial', parts.join('; '), {
      hint: 'the plan above lists your options for each resource',
      details: { blocked },
    })
  }
  if (gate !== undefined)
    return new CallyardError('partial', gate, { hint: 'the groups above show an example and its cause' })
  if (!exitCode || pending === 0) return undefined
  return new CallyardError('pending', `changes are pending for ${count(pending, 'resource')}`, {
    ...suggest`${applyAt(at)}`,
  })
}

async function write(file: string, text: string, context: Context): Promise<void> {
  const { resolve, output, runFlags } = context
  if (isStdout(file)) return output.data(`${text}\n`)
  const old = await stat(resolve(file)).catch(() => undefined)
  if (old !== undefined && !old.isFile())
    throw new CallyardError('usage', `cannot write ${file}: it is not a file`, {
      hint: 'choose another name, or pass --json to print the plan on stdout',
    })
  // Prompts and FAQ entries of a project may be confidential.
  await writeOutputFile(resolve(file), `${text}\n`, 0o600).catch(error => {
    throw cannotWrite(file, error)
  })
  const { profile } = runFlags
  // The plan itself has the target.
  output.note(
    `Saved the plan to ${file}. To apply it: ${commandLine(commandAt({ run: { profile } }, 'apply', file))}`,
  )
}
