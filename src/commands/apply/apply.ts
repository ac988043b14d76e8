import { dirname } from 'node:path'
import type { Context, Progress } from '../../context.ts'
import { CliError, InvalidInput } from '../../errors.ts'
import { renderOutcome, renderOutcomes } from '../../output/outcome.ts'
import { renderPlan } from '../../output/plan.ts'
import { requireConnection } from '../../profile/settings.ts'
import type { Address } from '../../project/address.ts'
import { applyPlan } from '../../project/apply/apply-plan.ts'
import type { Outcome } from '../../project/apply/outcome.ts'
import { isPending, type Plan } from '../../project/plan/actions.ts'
import { makePlan } from '../../project/plan/make-plan.ts'
import { assertFresh, parseSavedPlan, type SavedPlan } from '../../project/plan/saved-plan.ts'
import { removeLeftover } from '../../project/replace-file.ts'
import { readText } from '../../source/read-text.ts'
import { type HeldProject, holdProject, jobOf, settleByHand } from '../project/held-project.ts'
import { openProject, type ProjectOptions, projectFile } from '../project/open-project.ts'
import { ending } from './ending.ts'
import { annotate, toDocument, writeReport } from './report.ts'

export interface ApplyOptions extends ProjectOptions {
  /** A saved plan, to be carried out as it is or not at all. */
  readonly plan?: string
  readonly yes?: boolean
  /** Most resources at once; 4 unless given. */
  readonly parallelism?: number
  /** `tool/book=<id>`. */
  readonly adopt?: readonly string[]
  /** `tool/book`. */
  readonly forget?: readonly string[]
  readonly junit?: string
}

/**
 * `apply`: makes the target hold what the files say. One at a time per project; what is done is in the lockfile before the
 * next step that builds on it. Ends 8 when something was not done, 9 when nobody knows what the service has.
 */
export async function apply(options: ApplyOptions, context: Context): Promise<void> {
  if (options.plan !== undefined && (options.adopt ?? options.forget) !== undefined) {
    throw new CliError('usage', 'a saved plan cannot be applied together with --adopt or --forget', {
      hint: 'they change the lockfile, and with it the plan: make it anew afterwards',
    })
  }
  const { file } = await projectFile(context)
  const saved = options.plan === undefined ? undefined : await readPlan(options.plan, context)
  const target = options.target ?? saved?.target
  const held = await holdProject(dirname(file), target === undefined ? {} : { target }, context)
  try {
    await applyHeld(held, saved, options, context).catch(async error => {
      if (error instanceof InvalidInput)
        await writeReport(
          options.junit,
          { target: held.target.name, diagnostics: error.diagnostics },
          context,
        )
      throw error
    })
  } finally {
    await held.lock.release()
  }
}

async function applyHeld(
  held: HeldProject,
  saved: SavedPlan | undefined,
  options: ApplyOptions,
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const project = await openProject(options, context)
  const { target } = held
  for (const { kind, path } of project.resources) if (kind === 'kb') await removeLeftover(path)
  await settleByHand(held, project, options)
  const plan = makePlan(project, target, held.state())
  if (saved !== undefined) assertFresh(saved, { plan, project, lockfile: held.lockfile }, options.plan ?? '')
  const pending = plan.actions.filter(isPending)
  const unchanged = plan.actions.flatMap(({ action, address }) => (action === 'unchanged' ? [address] : []))
  if (pending.length === 0) {
    await writeReport(options.junit, { target: target.name, unchanged }, context)
    return output.result(toDocument(plan, []), () => renderPlan(plan, output.width))
  }
  output.note(renderPlan(plan, output.width))
  if (pending.some(({ action }) => action !== 'blocked')) await confirm(options, plan, context)

  const outcomes = await carryOut(plan, await jobOf(held, project, context), options, context)
  await writeReport(options.junit, { target: target.name, outcomes, unchanged }, context)
  annotate(outcomes, context)
  output.result(toDocument(plan, outcomes), () =>
    renderOutcomes(outcomes, { target: target.name, unchanged: unchanged.length, width: output.width }),
  )
  const end = ending(outcomes, signal)
  if (end !== undefined) throw end
}

async function readPlan(file: string, { resolve }: Context): Promise<SavedPlan> {
  const read = await readText(resolve(file))
  if ('text' in read) return parseSavedPlan(read.text, file)
  throw new CliError('usage', `${file}: ${read.flaw.message}`, {
    hint: read.flaw.hint ?? 'callwright plan --out plan.json makes one',
  })
}

async function confirm(options: ApplyOptions, { target, baseUrl }: Plan, context: Context): Promise<void> {
  // Whoever has no key should learn it before the question, and before anything is written down.
  requireConnection(await context.settings())
  if (options.yes === true) return
  const message = `Apply this to target ${target} (${baseUrl ?? ''})?`
  if (await context.prompts.confirm({ message, flag: '--yes', default: false })) return
  throw new CliError('cancelled', 'cancelled; nothing was sent')
}

async function carryOut(
  plan: Plan,
  job: Awaited<ReturnType<typeof jobOf>>,
  { parallelism = 4 }: ApplyOptions,
  { output, signal }: Context,
): Promise<Outcome[]> {
  const total = plan.actions.filter(isPending).length
  const underWay = new Set<Address>()
  const progress: Progress = output.progress('Applying', total)
  const told = () => output.note('ending what is under way; Ctrl-C again ends at once')
  signal.addEventListener('abort', told, { once: true })
  let done = 0
  const show = () => progress.update(done, [...underWay].join(', '))
  try {
    return await applyPlan(plan, job, {
      parallelism,
      onStart(address) {
        underWay.add(address)
        show()
      },
      onOutcome(outcome) {
        underWay.delete(outcome.address)
        done += 1
        // The plan has just said what is blocked, and why.
        if (outcome.status !== 'blocked') output.note(renderOutcome(outcome))
        show()
      },
    })
  } finally {
    signal.removeEventListener('abort', told)
    progress.stop()
  }
}
