import { randomInt, randomUUID } from 'node:crypto'
import type { HttpFaults, WebhookFaults } from '../../../files/formats/fault-names.ts'
import { byCase } from '../../../lib/by-case.ts'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError } from '../../../lib/error.ts'
import { assertWritable, writePrivateFile } from '../../../lib/fs/private-file.ts'
import { shortId } from '../../../lib/text/did-you-mean.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { bold, dim, green, red, type Text, text, yellow } from '../../../lib/text/text.ts'
import { listFieldsWithoutEffect, withoutEffectNote } from '../../../project/resources/index.ts'
import {
  readNumbers,
  type SandboxEvent,
  type SandboxOptions,
  startSandbox,
  type World,
} from '../../../sandbox/index.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { resolveLlm } from '../../shell/flags/llm-flags.ts'
import { agreeToSnapshot } from './agree-to-records.ts'
import type { ServiceOptions } from './flags.ts'
import { describeContent, readSnapshotFile, restoreFrom, snapshotText } from './snapshot-file.ts'

/** Address of the service and its secrets. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  /** Default: a generated one, or that of the journal. */
  readonly apiKey?: string | undefined
  readonly controlToken: SandboxOptions['controlToken']
}

interface ServiceLocation extends ListenAddress {
  readonly data?: SandboxOptions['data']
  log(event: SandboxEvent): void
  readonly page?: SandboxOptions['page']
  /** Folder of the one that it begins with. */
  readonly project: string | undefined
}

export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Starts the service as the flags say; the records of the project or snapshot are there when this resolves.
 * @throws CallyardError `conflict` where there are records already
 */
export async function openService(
  options: ServiceOptions,
  { project: folder, ...address }: ServiceLocation,
  context: Context,
) {
  const { clock, cwd, env } = context
  const llm = resolveLlm(options, context.env)
  const { fault, faultHttp } = options
  // Faults come from a seed that is printed, so that a run can be repeated.
  const hasFaults = fault !== undefined || faultHttp !== undefined
  const seed = options.seed ?? (hasFaults ? randomInt(2 ** 32) : undefined)
  const around = (await context.settings()).vocabulary.value
  const project =
    folder === undefined
      ? undefined
      : await (await import('./project-for-sandbox.ts')).projectForSandbox(folder, around, context)
  const note = withoutEffectNote(listFieldsWithoutEffect(project?.files ?? []))
  if (note !== undefined) context.output.note(note)
  const vocabulary = project?.vocabulary ?? around
  const { numbers, snapshot: snapshotFile, snapshotOnExit } = options
  const snapshot = snapshotFile === undefined ? undefined : await readSnapshotFile(snapshotFile, context)
  if (snapshotFile !== undefined) await agreeToSnapshot(snapshotFile, snapshot, context)
  if (snapshotOnExit !== undefined) await assertWritable(snapshotOnExit, { force: true }, context)
  const sandbox = await startSandbox({
    ...address,
    pace: options.pace,
    numbers: numbers === undefined ? undefined : await readNumbers(numbers, { cwd, vocabulary }),
    vocabulary,
    serviceVariables: project?.serviceVariables,
    clock,
    llm,
    env,
    modelTimeout: context.options.timeout,
    caller: options.caller,
    webhookFaults: options.fault,
    httpFaults: options.faultHttp,
    seed,
    teamId: options.seed === undefined ? `team-${randomUUID()}` : undefined,
  })
  const { first } = sandbox
  try {
    if ((project ?? snapshot) !== undefined) assertEmpty(first)
    if (snapshotFile !== undefined) await restoreFrom(snapshotFile, snapshot, first)
    await project?.applyTo(first)
    first.setResetPoint()
  } catch (error) {
    await sandbox.close()
    throw error
  }
  return {
    sandbox,
    /** Seed of ids and faults, given or generated. */
    seed,
    vocabulary,
    content: describeContent(first.store.snapshot()),
    /** Ends it, and writes the snapshot of --snapshot-on-exit. @throws CallyardError `usage` where that cannot be written */
    async close() {
      await sandbox.close()
      // All calls have ended by now.
      if (snapshotOnExit !== undefined)
        await writePrivateFile(snapshotOnExit, snapshotText(first.snapshot()), { force: true }, context)
    },
  }
}

/** A restart with --data would have everything twice, or lose what came since. */
function assertEmpty(world: World): void {
  if (world.snapshot().entries.length === 0) return
  const message = 'the sandbox has records already; only an empty one begins with others'
  throw new CallyardError('conflict', message, {
    ...suggest`pass --in-memory, or another file with --data; to replace the records: ${['sandbox', 'import']}`,
  })
}

export function faultsText({ fault, faultHttp }: ServiceOptions, { seed }: Service): Text | undefined {
  const lists = [
    fault && `to webhooks ${probabilities(fault)}`,
    faultHttp && `to requests ${probabilities(faultHttp)}`,
  ].filter(list => list !== undefined)
  if (lists.length === 0) return undefined
  return text`${yellow('Faults on request:')} ${lists.join('; ')}. --seed ${String(seed)} repeats them.`
}

function probabilities(faults: WebhookFaults | HttpFaults): string {
  return Object.entries(faults)
    .map(([name, probability]) => `${name}=${probability}`)
    .join(', ')
}

/** One line of the sandbox's log, for a person. */
export function describeEvent(event: SandboxEvent): Text {
  return byCase('kind', event, {
    request: ({ method, path, status }) =>
      text`${dim(`${method} ${path}`)} ${status < 400 ? green(String(status)) : red(String(status))}`,
    call: ({ callId, status, phoneCallStatus }) =>
      text`call ${shortId(callId)} ${bold(status)}${phoneCallStatus === undefined ? '' : text` ${yellow(phoneCallStatus)}`}`,
    'delivery-failed': ({ callId, type, url, reason, answer }) =>
      text`${yellow('not delivered:')} ${type} of call ${shortId(callId)} to ${url}: ${reason}${answer === undefined ? '' : `: ${oneLine(answer)}`}`,
    'wrong-answer': ({ callId, type, url, reason, answer }) =>
      text`${yellow('wrong response:')} ${url} ${reason}, to ${type} of call ${shortId(callId)}; a receiver must respond 200 with {"message": "…"}. Its answer${answer === '' ? ' is an empty text' : `: ${oneLine(answer)}`}`,
    fault(event) {
      const where =
        'callId' in event
          ? `${event.type} ${event.index + 1} of call ${shortId(event.callId)}`
          : `${event.method} ${event.path}`
      return text`${yellow('fault:')} ${event.fault} in ${where}`
    },
    warning: ({ callId, message }) =>
      text`${yellow('warning:')} ${message}${callId === undefined ? '' : ` (call ${shortId(callId)})`}`,
  })
}

export const tokenName = 'CALLYARD_SANDBOX_TOKEN'

/** The control token of the environment; undefined for a new one, false for no control API. */
export function resolveToken(control: boolean, env: Environment): string | false | undefined {
  return control ? env[tokenName] || undefined : false
}
