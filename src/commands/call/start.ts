import { callPaths } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { openForm } from './call-form.ts'
import { phoneNumbers } from './phone-number.ts'
import { checkFollow, type PlaceCallOptions, placeCall } from './place-call.ts'

export interface StartCallOptions extends PlaceCallOptions {
  readonly from?: string
  readonly to?: string
}

/** `call start` (interface.md 4.1). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function startCall(options: StartCallOptions, context: Context): Promise<void> {
  await checkFollow(options, context)
  const read = await phoneNumbers(options.allowAnyNumber === true)
  const fromField = { flag: '--from', message: 'Number of the assistant', given: options.from, read }
  const toField = { flag: '--to', message: 'Number to call', given: options.to, read }
  const form = openForm([fromField, toField], context)
  const request = async () => {
    const from = await form.answer(fromField)
    const to = await form.answer(toField)
    return {
      path: callPaths.start,
      body: { userNumber: to, assistantNumber: from },
      facts: { From: from, To: to },
      route: `${from} → ${to}`,
    }
  }
  await placeCall(
    { asks: form.asks, request },
    options,
    async (body, isFollowed) => {
      const answer = await context.api().startCall(body, { isFollowed })
      return { answer, id: answer.sid, status: 'placed' }
    },
    context,
  )
}
