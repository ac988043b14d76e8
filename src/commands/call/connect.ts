import { callPaths } from '../../api/endpoints.ts'
import type { Context } from '../../context.ts'
import { bold, dim, text } from '../../output/text.ts'
import { printRequest } from './dry-run.ts'
import { assertFollowable, assertNotFollowed, followCall, type PlacedCall } from './follow.ts'
import type { FollowOptions } from './follow-options.ts'
import { phoneNumber } from './phone-number.ts'
import { type WhoTalksOptions, whoTalks } from './who-talks.ts'

export interface ConnectCallOptions extends WhoTalksOptions, FollowOptions {
  readonly phoneNumberId?: string
  readonly to?: string
  readonly customerName?: string
  readonly direction: string
  readonly allowAnyNumber?: boolean
  readonly dryRun?: boolean
}

/** `call connect` (interface.md 4.2). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function connectCall(options: ConnectCallOptions, context: Context): Promise<void> {
  const { to, customerName, direction, allowAnyNumber = false, dryRun } = options
  if (options.follow === true) await assertFollowable(options, context)
  else assertNotFollowed(options)
  const phoneNumberId =
    options.phoneNumberId ??
    (await context.prompts.text({
      message: 'Phone number id',
      flag: '--phone-number-id',
      validate: answer => answer !== '' || 'an id is needed',
    }))
  const number = await phoneNumber(
    { flag: '--to', message: 'Number of the customer', value: to, allowAnyNumber },
    context,
  )
  const body = {
    direction,
    phoneNumberId,
    customer: { number, ...(customerName === undefined ? {} : { name: customerName }) },
    ...(await whoTalks(options, context)),
  }
  if (dryRun === true) return printRequest(callPaths.connect, body, context)
  const place = async (request: Readonly<Record<string, unknown>>): Promise<PlacedCall> => {
    const call = await context.api().connectCall(request)
    const status = typeof call.status === 'string' ? call.status : 'placed'
    return { call, text: text`Call ${bold(call.id)} ${status} ${dim(`${direction}, ${number}`)}` }
  }
  if (options.follow === true) return followCall(body, options, place, context)
  const { call, text: placed } = await place(body)
  context.output.result(call, () => placed)
}
