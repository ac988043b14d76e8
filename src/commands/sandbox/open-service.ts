import { randomInt, randomUUID } from 'node:crypto'
import type { Context } from '../../cli/context.ts'
import { resolveLlm } from '../../cli/flags/llm-flags.ts'
import { assertWritable, writePrivateFile } from '../../cli/private-file.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallwrightError } from '../../lib/error.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { bold, dim, green, red, type Text, text, yellow } from '../../lib/text/text.ts'
import {
  type HttpFaults,
  type Log,
  readNumbers,
  type SandboxEvent,
  startSandbox,
  type WebhookFaults,
  type World,
} from '../../sandbox/index.ts'
import type { SandboxPage } from '../../watch/index.ts'
import type { ServiceOptions } from './flags.ts'
import { contentOf, readSnapshotFile, restoreFrom, snapshotText } from './snapshot-file.ts'

/** Where the service listens, and the secrets that open it where they are given. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  /** Undefined: one is made up, or is that of the journal. */
  readonly apiKey?: string | undefined
  /** Undefined: one is made up; false: there is no control API. */
  readonly controlToken: string | false | undefined
}

interface ServicePlace extends ListenAddress {
  /** The journal; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Folder of the project that it begins with. */
  readonly project: string | undefined
  readonly log: Log
  /** On the same server. */
  readonly page?: SandboxPage | undefined
}

export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Starts the service as the flags say; the records of the project or snapshot are there when this resolves.
 * @throws CallwrightError `conflict` where there are records already
 */
export async function openService(
  options: ServiceOptions,
  { project: folder, log, ...place }: ServicePlace,
  context: Context,
) {
  const { clock, cwd } = context
  const llm = resolveLlm(options, context)
  const seed = seedOf(options)
  const around = (await context.settings()).vocabulary.value
  const project =
    folder === undefined
      ? undefined
      : await (await import('../in-project.ts')).projectForSandbox(folder, around, context)
  const vocabulary = project?.vocabulary ?? around
  const { numbers, snapshot: begin, snapshotOnExit } = options
  const snapshot = begin === undefined ? undefined : await readSnapshotFile(begin, context)
  if (snapshotOnExit !== undefined) await assertWritable(snapshotOnExit, { force: true }, context)
  const sandbox = await startSandbox({
    ...place,
    pace: options.pace,
    numbers: numbers === undefined ? undefined : await readNumbers(numbers, { cwd, vocabulary }),
    vocabulary,
    clock,
    llm,
    modelTimeout: context.options.timeout,
    caller: options.caller,
    webhookFaults: options.fault,
    httpFaults: options.faultHttp,
    seed,
    teamId: options.seed === undefined ? `team-${randomUUID()}` : undefined,
    log,
  })
  const { first } = sandbox
  try {
    if ((project ?? snapshot) !== undefined) assertEmpty(first)
    if (begin !== undefined) await restoreFrom(begin, snapshot, first)
    await project?.applyTo(first)
    first.keepAsBeginning()
  } catch (error) {
    await sandbox.close()
    throw error
  }
  return {
    sandbox,
    /** Of ids and faults, where one was given or made up. */
    seed,
    vocabulary,
    /** What it began with. */
    content: contentOf(first.snapshot()),
    /** Ends it, and writes the snapshot of --snapshot-on-exit. @throws CallwrightError `usage` where that cannot be written */
    async close() {
      await sandbox.close()
      // Calls that went on are over by now.
      if (snapshotOnExit !== undefined)
        await writePrivateFile(snapshotOnExit, snapshotText(first.snapshot()), { force: true }, context)
    },
  }
}

/** A restart with --data would have everything twice, or lose what came since. */
function assertEmpty(world: World): void {
  if (world.snapshot().entries.length === 0) return
  const hint = 'give --memory, or another file with --data; callwright sandbox import replaces the records'
  throw new CallwrightError(
    'conflict',
    'the sandbox has records already; only an empty one begins with others',
    { hint },
  )
}

/** Faults come from a seed that is printed, so that a run can be repeated. */
function seedOf({ seed, fault, faultHttp }: ServiceOptions): number | undefined {
  return seed ?? (fault === undefined && faultHttp === undefined ? undefined : randomInt(2 ** 32))
}

export function faultsText(
  { fault, faultHttp }: Pick<ServiceOptions, 'fault' | 'faultHttp'>,
  { seed }: Pick<Service, 'seed'>,
): Text | undefined {
  if (fault === undefined && faultHttp === undefined) return undefined
  const lists = [
    ...(fault === undefined ? [] : [`to webhooks ${probabilities(fault)}`]),
    ...(faultHttp === undefined ? [] : [`to requests ${probabilities(faultHttp)}`]),
  ]
  return text`${yellow('Faults on request:')} ${lists.join('; ')}. --seed ${String(seed)} repeats them.`
}

function probabilities(faults: WebhookFaults | HttpFaults): string {
  return Object.entries(faults)
    .map(([name, probability]) => `${name}=${probability}`)
    .join(', ')
}

/** One line of the sandbox's log, for a person. */
export function describeEvent(event: SandboxEvent): Text {
  if (event.kind === 'request') {
    const { method, path, status } = event
    return text`${dim(`${method} ${path}`)} ${status < 400 ? green(String(status)) : red(String(status))}`
  }
  if (event.kind === 'call') {
    const { callId, status, phoneCallStatus } = event
    const unanswered = phoneCallStatus === undefined ? '' : text` ${yellow(phoneCallStatus)}`
    return text`call ${shortId(callId)} ${bold(status)}${unanswered}`
  }
  if (event.kind === 'delivery-failed') {
    const { callId, type, url, reason, answer } = event
    const answered = answer === undefined ? '' : text`: ${oneLine(answer)}`
    return text`${yellow('not delivered:')} ${type} of call ${shortId(callId)} to ${url}: ${reason}${answered}`
  }
  if (event.kind === 'wrong-answer') {
    const { callId, type, url, reason, answer } = event
    const answered = answer === '' ? ' is an empty text' : `: ${answer}`
    return text`${yellow('wrong answer:')} ${url} ${reason}, to ${type} of call ${shortId(callId)}; a receiver answers 200 with {"message": "…"}. Its answer${oneLine(answered)}`
  }
  if (event.kind === 'fault') {
    const where =
      'callId' in event
        ? `${event.type} ${event.index + 1} of call ${shortId(event.callId)}`
        : `${event.method} ${event.path}`
    return text`${yellow('fault:')} ${event.fault} in ${where}`
  }
  const call = event.callId === undefined ? '' : ` (call ${shortId(event.callId)})`
  return text`${yellow('warning:')} ${event.message}${call}`
}

export const tokenName = 'CALLWRIGHT_SANDBOX_TOKEN'

/** The control token of the environment; undefined for a new one, false for no control API. */
export function tokenOf(
  { control }: Pick<ServiceOptions, 'control'>,
  env: Environment,
): string | false | undefined {
  return control ? env[tokenName] || undefined : false
}
