import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { wordsOf } from '../../cli/messages/messages.ts'
import type { ExplainedOutcome } from '../../cli/messages/outcome.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { renderOutcomes } from '../../cli/render/outcome.ts'
import { renderPlan } from '../../cli/render/plan.ts'
import { CallwrightError } from '../../lib/error.ts'
import { removeLeftover } from '../../lib/fs/replace-file.ts'
import { requireConnection } from '../../profile/index.ts'
import { isPending, type Plan } from '../../project/plan/actions.ts'
import { makePlan, stateOf } from '../../project/plan/plan-project.ts'
import { assertFresh, parseSavedPlan, type SavedPlan } from '../../project/plan/saved-plan.ts'
import { readText } from '../../source/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { applyOverrides } from '../project/apply-overrides.ts'
import { jobOf, type LockedProject, lockProject } from '../project/locked-project.ts'
import { nameOf } from '../project/name-of.ts'
import { openProject, type ProjectOptions, projectFile, targetName } from '../project/open-project.ts'
import { type Reports, withReports } from '../reports/open-reports.ts'
import type { ReportOptions } from '../reports/report-options.ts'
import { type CarriedOut, carryOut } from './carry-out.ts'
import { ending } from './ending.ts'
import { annotate, casesOfApply, toDocument } from './report.ts'

export interface ApplyOptions extends ProjectOptions, Pick<ReportOptions, 'junit'> {
  /** A saved plan, to be carried out as it is or not at all. */
  readonly plan?: string
  readonly yes?: boolean
  /** Most resources at once; 4 unless given. */
  readonly parallelism?: number
  /** `tool/book=<id>`. */
  readonly adopt?: readonly string[]
  /** `tool/book`. */
  readonly forget?: readonly string[]
}

/**
 * `apply`: makes the target hold what the files say. One at a time per project; what is done is in the lockfile before the
 * next step that builds on it. Ends 8 when something was not done, 9 when nobody knows what the service has.
 */
export async function apply(options: ApplyOptions, context: Context): Promise<void> {
  let { target } = options
  const run = { command: 'apply', done: 'all is applied', target: () => targetName(target, context) } as const
  await withReports(run, options, context, async reports => {
    if (options.plan !== undefined && (options.adopt ?? options.forget) !== undefined) {
      throw new CallwrightError('usage', 'a saved plan cannot be applied together with --adopt or --forget', {
        hint: 'they change the lockfile, and with it the plan: make it anew afterwards',
      })
    }
    const { file } = await projectFile(context)
    const saved = options.plan === undefined ? undefined : await readPlan(options.plan, context)
    target ??= saved?.target
    // Whoever saved the plan has said so then.
    const newTarget = options.newTarget ?? saved !== undefined
    const held = await holdOrRenew(dirname(file), { ...options, target, newTarget }, context)
    try {
      await applyHeld(held, saved, options, reports, context)
    } finally {
      await held.lock.release()
    }
  })
}

/** Where another sandbox answers than the lockfile names, a person may have everything created in that one. */
async function holdOrRenew(
  folder: string,
  options: ProjectOptions,
  context: Context,
): Promise<LockedProject> {
  const { output, prompts } = context
  return lockProject(folder, options, context).catch(async error => {
    const isOther = error instanceof CallwrightError && error.details.otherSandbox !== undefined
    if (!isOther || !prompts.available) throw error
    output.warn(wordsOf(error).message)
    const message = 'Create everything in the sandbox that runs now?'
    if (!(await prompts.confirm({ message, flag: '--new-target', default: false })))
      throw new CallwrightError('cancelled', 'cancelled; nothing was sent')
    return lockProject(folder, { ...options, newTarget: true }, context)
  })
}

async function applyHeld(
  held: LockedProject,
  saved: SavedPlan | undefined,
  options: ApplyOptions,
  reports: Reports,
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const project = await openProject(options, context)
  const { target } = held
  for (const { kind, path } of project.resources) if (kind === 'kb') await removeLeftover(path)
  const { section, notes } = applyOverrides(held, project, options)
  const plan = makePlan(project, target, stateOf(held.lockfile, section, target.name))
  // What a person said of the lockfile holds from here on: nobody who then says no has lost an id.
  const settle = async () => {
    if (notes.length === 0) return
    await held.store.change(() => section)
    for (const note of notes) output.note(note)
  }
  if (saved !== undefined) assertFresh(saved, { plan, project, lockfile: held.lockfile }, options.plan ?? '')
  const report = async (outcomes: readonly ExplainedOutcome[], durationOf: CarriedOut['durationOf']) => {
    const cases = casesOfApply(plan, project, { outcomes, durationOf })
    await reports.write({ target: target.name, cases })
  }
  const pending = plan.actions.filter(isPending)
  const unchanged = plan.actions.flatMap(({ action, address }) => (action === 'unchanged' ? [address] : []))
  if (pending.length === 0) {
    await settle()
    await report([], () => undefined)
    return output.result(toDocument(plan, [], held.store), () => renderPlan(plan, output.width))
  }
  output.note(renderPlan(plan, output.width))
  if (pending.some(({ action }) => action !== 'blocked')) await confirm(options, plan, context)
  await settle()

  const { outcomes, durationOf } = await carryOut(plan, await jobOf(held, project, context), options, context)
  await report(outcomes, durationOf)
  annotate(outcomes, context)
  output.result(toDocument(plan, outcomes, held.store), () =>
    renderOutcomes(outcomes, { target: target.name, unchanged: unchanged.length, width: output.width }),
  )
  const end = ending(outcomes, signal)
  if (end !== undefined) throw end
  const assistant = project.resources.find(({ kind }) => kind === 'assistant')
  if (assistant !== undefined) noteNext(output, `callwright call start --assistant ${nameOf(assistant)}`)
}

async function readPlan(file: string, { resolve }: Context): Promise<SavedPlan> {
  const read = await readText(resolve(file))
  if ('text' in read) return parseSavedPlan(read.text, file)
  throw new CallwrightError('usage', `${file}: ${read.error.message}`, {
    hint: read.error.hint ?? 'callwright plan --out plan.json makes one',
  })
}

async function confirm(options: ApplyOptions, { target, baseUrl }: Plan, context: Context): Promise<void> {
  // Whoever has no key should learn it before the question, and before anything is written down.
  requireConnection(await context.settings())
  if (options.yes === true) return
  if (context.options.quiet === true) {
    throw new CallwrightError(
      'usage',
      '--quiet hides the plan that you would be asked about; nothing was sent',
      {
        hint: 'give --yes, or leave out --quiet',
      },
    )
  }
  await agreeToAccess(context)
  const message = `Apply this to target ${target} (${baseUrl ?? ''})?`
  if (await context.prompts.confirm({ message, flag: '--yes', default: false })) return
  throw new CallwrightError('cancelled', 'cancelled; nothing was sent')
}
