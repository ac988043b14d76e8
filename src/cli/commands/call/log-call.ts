import { logCall, type RequestedCall } from '../../../calls/log/index.ts'
import type { CallEnd } from '../../../calls/outcomes/index.ts'
import { type CallRequest, type PlacedCall, placeCall } from '../../../calls/place/index.ts'
import { getErrorReason } from '../../../lib/error.ts'
import type { Api } from '../../../service/api/index.ts'
import { readServiceRules } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'

/** Records what becomes of a call. */
export interface CallRecord {
  placed(call: PlacedCall): Promise<void>
  failed(error: unknown): Promise<void>
  ended(end: CallEnd): Promise<void>
}

/**
 * Records a call that is about to be placed, unless --no-log or callyard.yaml says otherwise. Warns once if the log cannot be written;
 * the call is placed anyway. Calls to a service with a daily limit are always recorded, because the log counts them.
 */
export async function recordCall(
  { values, ...call }: RequestedCall,
  { log }: { readonly log: boolean },
  context: Context,
): Promise<CallRecord> {
  const { project } = await context.settings()
  const isCounted = await limitsCalls(call.service, context)
  const logged = log ? (project?.settings.log ?? 'names') : false
  let isDamaged = false
  const attempt = async <Result>(write: () => Promise<Result>): Promise<Result | undefined> => {
    if (isDamaged) return undefined
    try {
      return await write()
    } catch (error) {
      if (isCounted) throw error
      isDamaged = true
      context.output.warn(
        `the call log is incomplete: ${getErrorReason(error)}`,
        'to place calls without it, pass --no-log',
      )
      return undefined
    }
  }
  const entry =
    logged === false && !isCounted
      ? undefined
      : await attempt(() => logCall({ ...call, ...(logged === 'values' && { values }) }, context))
  return {
    placed: async call => void (await attempt(async () => entry?.placed(call))),
    failed: async error => void (await attempt(async () => entry?.failed(error))),
    ended: async end => void (await attempt(async () => entry?.ended(end))),
  }
}

/** Places a call, and records what became of its request. @throws CallyardError as placeCall does */
export async function placeRecorded(
  record: CallRecord,
  api: Api,
  request: Omit<CallRequest, 'path'>,
  options: { readonly isFollowed: boolean },
): Promise<PlacedCall> {
  const placed = await placeCall(api, request, options).catch(async error => {
    await record.failed(error)
    throw error
  })
  await record.placed(placed)
  return placed
}

/** True if the calls to a service are counted against a daily limit. */
async function limitsCalls(service: string, { env }: Context): Promise<boolean> {
  const { limits } = await readServiceRules(service, env)
  return limits.some(({ callsPerDay }) => callsPerDay !== undefined)
}
