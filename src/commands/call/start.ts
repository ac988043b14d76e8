import { callPaths } from '../../api/endpoints.ts'
import type { Context } from '../../context.ts'
import { bold, dim, text } from '../../output/text.ts'
import { printRequest } from './dry-run.ts'
import { assertFollowable, assertNotFollowed, followCall, type PlacedCall } from './follow.ts'
import type { FollowOptions } from './follow-options.ts'
import { phoneNumber } from './phone-number.ts'
import { type WhoTalksOptions, whoTalks } from './who-talks.ts'

export interface StartCallOptions extends WhoTalksOptions, FollowOptions {
  readonly from?: string
  readonly to?: string
  readonly allowAnyNumber?: boolean
  readonly dryRun?: boolean
}

/** `call start` (interface.md 4.1). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function startCall(options: StartCallOptions, context: Context): Promise<void> {
  const { from, to, allowAnyNumber = false, dryRun } = options
  if (options.follow === true) await assertFollowable(options, context)
  else assertNotFollowed(options)
  const assistantNumber = await phoneNumber(
    { flag: '--from', message: 'Number of the assistant', value: from, allowAnyNumber },
    context,
  )
  const userNumber = await phoneNumber(
    { flag: '--to', message: 'Number to call', value: to, allowAnyNumber },
    context,
  )
  const body = { userNumber, assistantNumber, ...(await whoTalks(options, context)) }
  if (dryRun === true) return printRequest(callPaths.start, body, context)
  const place = async (request: Readonly<Record<string, unknown>>): Promise<PlacedCall> => {
    const call = await context.api().startCall(request)
    return {
      call,
      text: text`Call ${bold(call.sid)} placed ${dim(`${assistantNumber} → ${userNumber}`)}`,
    }
  }
  if (options.follow === true) return followCall(body, options, place, context)
  const { call, text: placed } = await place(body)
  context.output.result(call, () => placed)
}
