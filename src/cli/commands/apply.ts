import type { Command } from '@commander-js/extra-typings'
import { nameOf } from '../../files/formats/address.ts'
import { readText } from '../../files/source/index.ts'
import { withoutMark } from '../../files/text/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { appliedDocument, type LockedProject, lockProject, projectFile } from '../../project/apply/index.ts'
import { withTarget } from '../../project/lockfile/index.ts'
import { isPending, type Plan, parseSavedPlan, type SavedPlan } from '../../project/plan/index.ts'
import { requireConnection } from '../../service/profile/index.ts'
import { commandLine, suggest } from '../shell/advice.ts'
import { type Reports, withReports } from '../shell/ci-reports/open-reports.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { Flag, Operand, type OptionsOf, withFileFlags, withTargetFlag, yesFlag } from '../shell/flags/flag.ts'
import { collect, integerParser } from '../shell/flags/option-parsers.ts'
import { outFlags } from '../shell/flags/out-flag.ts'
import { overriddenText, planDocument } from '../shell/plan-words.ts'
import { commandAt, savePlanAt } from '../shell/project-hints.ts'
import { noteNext } from '../shell/render/next-steps.ts'
import { renderOutcomes, renderPlan } from '../shell/render/plan.ts'
import { annotate, casesOfApply, type ExecutedPlan, executePlan, exitError } from './apply-outcomes.ts'
import { agreeToAccess } from './consent.ts'
import { originOfBaseUrl, requireBaseUrl, targetName } from './target.ts'
import { printWarnings } from './warnings.ts'

export const applyCommand = defineCommand({
  description: 'Deploy the project to the service',
  examples: ['callyard apply', 'callyard apply --yes --target production --out callyard.xml'],
  topics: ['projects', 'rollback'],
  effect: 'changes',
  flags: withFlags,
  result: async () => ({ document: (await import('../../project/apply/outcome-schema.ts')).appliedSchema }),
  run: async (options, context, [plan]) => apply({ ...options, plan }, context),
  handlesSignal: () => true,
})

function withFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command
        .addArgument(
          new Operand('[plan]', 'Plan saved by callyard plan --out; - reads stdin').completes('files'),
        )
        .addOption(yesFlag()),
    )
      .option('--new-target', 'Allow a second target at a known base URL')
      .option('--concurrency <n>', 'Resources to apply in parallel (default: 4)', integerParser(1, 64))
      .addOption(
        new Flag('--adopt <address=id>', 'Manage an existing resource')
          .helpsWith({
            'adopt-malformed': 'pass --adopt <address>=<id>',
            'adopt-knowledge-base': ({ address }: { address: string }) =>
              `to adopt entries, write their ids into the file or pass --adopt ${address}:<id in the file>=<id>; after a rename, pass --adopt ${address}=kb/<former name>`,
          })
          .completes('adopt')
          .repeatable(collect),
      )
      .addOption(
        new Flag('--forget <address>', 'Forget a resource that no longer exists')
          .completes('forget')
          .repeatable(collect),
      )
      .option('--resend', 'Send every tool and entry again, for an older lockfile')
      .addOption(outFlags('Write a JUnit report (.xml)', ['junit'])),
  )
}

/** `plan` is the file of a saved plan, to be carried out as it is or not at all. */
type ApplyOptions = OptionsOf<typeof withFlags> & { readonly plan?: string | undefined }

/**
 * `apply`: changes the target to match the files. One at a time per project; each step is in the lockfile before a step that depends on
 * it. Exits with 8 if something was not done, 9 if the state at the service is unknown.
 */
export async function apply(options: ApplyOptions, context: Context): Promise<void> {
  let { target } = options
  const run = { command: 'apply', done: 'all is applied', target: () => targetName(target, context) } as const
  await withReports(run, options, context, async reports => {
    if (options.plan !== undefined && (options.adopt ?? options.forget ?? options.resend) !== undefined) {
      throw new CallyardError('usage', 'a saved plan cannot be combined with --adopt, --forget or --resend', {
        ...suggest`they change the lockfile; create a new plan: ${savePlanAt({ run: context.runFlags })}`,
      })
    }
    await projectFile(context)
    const saved = options.plan === undefined ? undefined : await readPlan(options.plan, context)
    target ??= saved?.target
    await requireBaseUrl(context)
    // A new target was agreed to when the plan was saved.
    const newTarget = options.newTarget ?? saved !== undefined
    const project = await lockOrRenew(
      { ...options, target, newTarget, resend: options.resend ?? saved?.resend },
      context,
    )
    await withTarget(project, () => applyTo(project, saved, options, reports, context))
  })
}

/** Offers to create everything again if the sandbox is not the one of the lockfile. */
async function lockOrRenew(options: ApplyOptions, context: Context): Promise<LockedProject> {
  const { output, prompts } = context
  return lockProject(options, context).catch(async error => {
    const isOther = error instanceof CallyardError && error.code === 'other-sandbox'
    if (!isOther || !prompts.available) throw error
    output.warn(context.withHints(error).message)
    const message = 'Create everything in the sandbox that runs now?'
    if (!(await prompts.confirm({ message, flag: '--new-target' })))
      throw new CallyardError('cancelled', 'cancelled; nothing was sent')
    return lockProject({ ...options, newTarget: true }, context)
  })
}

async function applyTo(
  project: LockedProject,
  saved: SavedPlan | undefined,
  options: ApplyOptions,
  reports: Reports,
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const { target, resources } = project
  const at = { target: target.name, run: context.runFlags }
  const warnings = context.withFindingHints(project.warnings)
  printWarnings(warnings, context)
  output.annotate(warnings)
  const overriddenSection = project.override(options)
  // --adopt and --forget are recorded from here on: a later no keeps them.
  const settle = async () => {
    await project.settle(overriddenSection)
    for (const override of overriddenSection.overridden) output.note(overriddenText(override))
  }
  const plan = await planOrSettle(() => project.plan(overriddenSection.section), settle)
  const document = planDocument(plan, context.runFlags)
  if (saved !== undefined) await project.assertFresh(saved, document, options.plan ?? '')
  const report = (carried: ExecutedPlan) =>
    reports.write({ target: target.name, cases: casesOfApply(plan, warnings, carried) })
  const pending = plan.actions.filter(isPending)
  const unchanged = plan.actions.filter(({ action }) => action === 'unchanged').length
  const origin = await originOfBaseUrl(target.name, context)
  if (pending.length === 0) {
    await settle()
    await report({ outcomes: [], durationOf: () => undefined })
    return output.result(appliedDocument(plan, [], project, context.notStored), () =>
      renderPlan(document, output.width, origin),
    )
  }
  output.note(renderPlan(document, output.width, origin))
  if (pending.some(({ action }) => action !== 'blocked')) await confirm(options, plan, context)
  await settle()

  const carried = await executePlan(plan, project, options, context)
  const { outcomes } = carried
  await report(carried)
  annotate(outcomes, context)
  output.result(appliedDocument(plan, outcomes, project, context.notStored), () =>
    renderOutcomes(outcomes, {
      target: target.name,
      baseUrl: target.baseUrl,
      origin,
      unchanged,
    }),
  )
  const end = exitError(outcomes, at, signal)
  if (end !== undefined) throw end
  const assistant = resources.find(({ kind }) => kind === 'assistant')
  if (assistant !== undefined)
    noteNext(output, commandLine(commandAt(at, 'call', 'start', '--assistant', nameOf(assistant.address))))
}

/** Saves --adopt and --forget even while other outcomes are unknown, so that they can be settled one at a time. */
async function planOrSettle(makePlan: () => Plan, settle: () => Promise<void>): Promise<Plan> {
  try {
    return makePlan()
  } catch (error) {
    if (error instanceof CallyardError && error.code === 'apply-unanswered') await settle()
    throw error
  }
}

async function readPlan(file: string, { resolve, host, runFlags: run }: Context): Promise<SavedPlan> {
  if (file === '-') return parseSavedPlan(await host.stdin.text(), 'stdin')
  const read = await readText(resolve(file))
  if ('text' in read) return parseSavedPlan(withoutMark(read.text), file)
  throw new CallyardError('invalid', `${file}: ${read.error.message}`, {
    ...(read.error.code === 'missing-file'
      ? suggest`create one: ${savePlanAt({ run })}`
      : { hint: read.error.hint }),
  })
}

async function confirm(options: ApplyOptions, { target, baseUrl }: Plan, context: Context): Promise<void> {
  // A missing key is an error before the question, and before anything is written down.
  requireConnection(await context.settings())
  if (options.yes === true) return
  if (context.options.quiet === true) {
    const message = '--quiet hides the plan that you would be asked about; nothing was sent'
    throw new CallyardError('usage', message, { hint: 'pass --yes, or remove --quiet' })
  }
  await agreeToAccess(context)
  const message = `Apply this to target ${target} (${baseUrl ?? ''})?`
  if (await context.prompts.confirm({ message, flag: '--yes' })) return
  throw new CallyardError('cancelled', 'cancelled; nothing was sent')
}
