import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovableAction, argvOf, countNext, findLimit } from '../../../calls/approval/index.ts'
import type { CheckedFile } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { hashContent } from '../../../lib/hash.ts'
import { isObject } from '../../../lib/json.ts'
import { parseSavedPlan } from '../../../project/plan/index.ts'
import {
  type LockedKey,
  type ResolvedSettings,
  readServiceRules,
  requireConnection,
  resolveSettings,
  serviceOf,
} from '../../../service/profile/index.ts'
import type { CapturedRun, CommandRunOptions, Context } from '../../shell/context.ts'
import { exitCodes, kindOfExitCode } from '../../shell/exit-codes.ts'
import { globalArgv } from '../../shell/flags/flag.ts'
import { throwTemporaryUnusable } from '../temporary-files.ts'
import { type ApprovedBatch, readApprovedBatch } from './approved-batch.ts'

type Body = Readonly<Record<string, unknown>>

/** Everything that an action would do, found without doing it. */
export interface Prepared {
  readonly action: ApprovableAction
  readonly cwd: string
  /** Profile that sets the base URL; null if something else does. */
  readonly profile: string | null
  readonly service: string
  /** Flags and arguments of the command, without `--yes`. */
  readonly argv: readonly string[]
  /** Document of the command that shows the action without carrying it out. */
  readonly preview: Body
  /** Hash of the service, the command and everything that it would send. */
  readonly digest: string
  /** Maximum number of calls. */
  readonly calls: number
  /** Maximum minutes of these calls; null if unknown. */
  readonly minutes: number | null
  /** Saved plan of `apply`; it is applied as it is or not at all. */
  readonly plan: string | undefined
  /** Files that would be sent. */
  readonly sending: readonly CheckedFile[]
  readonly settings: ResolvedSettings
  /** People of a batch. */
  readonly batch: ApprovedBatch | undefined
  /** Key of the profile, if it takes a passphrase. */
  readonly lockedKey: LockedKey | undefined
  /** Body of a call with the values that the preview masks. */
  readonly body: unknown
}

interface PrepareOptions {
  readonly cwd: string
  /** Profile to use; undefined for the one that the settings choose. */
  readonly profile: string | undefined
}

/**
 * Computes what an action would do: from the files, settings and environment of this process. Sends nothing.
 * @throws CallyardError of the command, of a limit, and `usage` if there is nothing to do
 */
export async function prepareAction(
  action: ApprovableAction,
  { cwd, profile }: PrepareOptions,
  context: Context,
): Promise<Prepared> {
  const settings = await resolveSettings({ ...context.files, cwd, options: { ...context.options, profile } })
  if (settings.unknownProfile !== undefined) throw settings.unknownProfile
  const service = settings.baseUrl.value ?? requireConnection(settings).baseUrl
  const profileName = settings.baseUrl.from === 'profile' ? (settings.profile.value ?? null) : null
  const argv = [...globalArgv({ ...context.options, profile }), ...argvOf(action)]
  const sending: CheckedFile[] = []
  const onSend = (file: CheckedFile) => sending.push(file)
  const run = async (words: readonly string[]) => documentOf(await context.runCommand(words, { cwd, onSend }))
  const common = {
    action,
    cwd,
    profile: profileName,
    service,
    argv,
    lockedKey: settings.lockedKey,
    sending,
    settings,
    minutes: null,
    plan: undefined,
    batch: undefined,
    body: undefined,
  }
  const digestOf = (content: unknown) =>
    hashContent(JSON.stringify([serviceOf(service), cwd, argvOf(action), content]))
  if (action.action === 'apply') {
    const { preview, plan } = await planOf(argv, { cwd, onSend }, context)
    const { inputs, lock, actions, target } = await parseSavedPlan(plan, 'plan')
    return { ...common, preview, plan, calls: 0, digest: digestOf([target, inputs, lock, actions]) }
  }
  if (action.action === 'batch') {
    const preview = await run(planning(argv))
    const projectContext = context.with({ cwd, willSend: onSend, settings: async () => settings })
    const batch = await readApprovedBatch(action.batch, action.maxCalls, projectContext)
    const { calls, minutes, digest } = preview
    const most = isObject(calls) && typeof calls.most === 'number' ? calls.most : 0
    if (most === 0) throw nothingToDo('nobody would be called')
    return {
      ...common,
      preview,
      batch,
      calls: Math.min(most, action.maxCalls),
      minutes: isObject(minutes) && typeof minutes.most === 'number' ? minutes.most : null,
      digest: digestOf([digest, batch.digest]),
    }
  }
  const preview = await run([...argv, '--dry-run'])
  const { body } = await run([...argv, '--dry-run', '--show-secrets'])
  if (!isMasked(preview.body, body))
    throw new CallyardError('conflict', 'the files changed while they were read', { hint: 'run it again' })
  await assertCallAllowed(action.to, service, context)
  return { ...common, preview, body, calls: 1, minutes: minutesOf(preview.body), digest: digestOf(preview) }
}

/** Returns the command that shows what another one would do. Values are joined to their flags, so the first of these words is the verb. */
export function planning(argv: readonly string[]): readonly string[] {
  return argv.with(
    argv.findIndex(word => word === 'apply' || word === 'run'),
    'plan',
  )
}

const mask = '****'

/** True if the first value is the second one with masked parts of texts. */
function isMasked(maskedValue: unknown, value: unknown): boolean {
  if (typeof maskedValue === 'string' && typeof value === 'string')
    return isMaskedText(maskedValue.split(mask), value)
  if (Array.isArray(maskedValue) && Array.isArray(value))
    return (
      maskedValue.length === value.length && maskedValue.every((item, index) => isMasked(item, value[index]))
    )
  if (!isObject(maskedValue) || !isObject(value)) return maskedValue === value
  const names = Object.keys(maskedValue)
  return (
    names.length === Object.keys(value).length &&
    names.every(name => Object.hasOwn(value, name) && isMasked(maskedValue[name], value[name]))
  )
}

function isMaskedText([first = '', ...rest]: readonly string[], value: string): boolean {
  if (!value.startsWith(first)) return false
  const last = rest.at(-1)
  if (last === undefined) return value === first
  let at = first.length
  for (const part of rest.slice(0, -1)) {
    const index = value.indexOf(part, at)
    if (index === -1) return false
    at = index + part.length
  }
  return value.length - last.length >= at && value.endsWith(last)
}

async function planOf(argv: readonly string[], options: CommandRunOptions, { runCommand }: Context) {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-approve-')).catch(throwTemporaryUnusable)
  try {
    const file = join(folder, 'plan.json')
    const preview = documentOf(await runCommand([...planning(argv), `--out=${file}`], options))
    const plan = await readFile(file, 'utf8')
    const actions = Array.isArray(preview.actions) ? preview.actions : []
    if (actions.every(action => isObject(action) && ['unchanged', 'blocked'].includes(String(action.action))))
      throw nothingToDo('apply would change nothing')
    return { preview, plan }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the document of a command. Exit code 8 comes with one.
 * @throws CallyardError as the command did
 */
export function documentOf({ exitCode, result, stderr }: CapturedRun): Body {
  const isFailure = isObject(result) && result.kind === 'error'
  if (isObject(result) && !isFailure && [0, exitCodes.partial].includes(exitCode)) return result
  const error = isFailure && isObject(result.error) ? result.error : {}
  const { kind: _, exitCode: __, code: ___, message = stderr.trim(), hint, ...details } = error
  throw new CallyardError(kindOfExitCode(exitCode) ?? 'bug', String(message), {
    hint: typeof hint === 'string' ? hint : undefined,
    details,
  })
}

function nothingToDo(message: string): CallyardError {
  return new CallyardError('usage', message, { hint: 'there is nothing to approve' })
}

/** @throws CallyardError `usage` for a call that a limit forbids now */
async function assertCallAllowed(to: string, service: string, context: Context): Promise<void> {
  const { limits } = await readServiceRules(service, context.env)
  const callsToday = await countNext(service, limits, context)
  const error = findLimit(limits, { number: to, at: context.clock.now(), callsToday })
  if (error !== undefined) throw error
}

/** Maximum duration of a call whose assistant is sent inline. */
function minutesOf(body: unknown): number | null {
  const assistant = isObject(body) ? body.assistant : undefined
  const minutes = isObject(assistant) ? assistant.maxCallDuration : undefined
  return typeof minutes === 'number' ? minutes : null
}
