import { callPaths } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { type Field, openForm } from './call-form.ts'
import { phoneNumbers } from './phone-number.ts'
import { checkFollow, type PlaceCallOptions, placeCall } from './place-call.ts'

export interface ConnectCallOptions extends PlaceCallOptions {
  readonly phoneNumberId?: string
  readonly to?: string
  readonly customerName?: string
  readonly direction: string
}

/** `call connect` (interface.md 4.2). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function connectCall(options: ConnectCallOptions, context: Context): Promise<void> {
  const { customerName, direction } = options
  await checkFollow(options, context)
  const idField: Field = {
    flag: '--phone-number-id',
    message: 'Phone number id',
    given: options.phoneNumberId,
    read: text => (text === '' ? { problem: 'an id is needed' } : { value: text }),
  }
  const toField: Field = {
    flag: '--to',
    message: 'Number of the customer',
    given: options.to,
    read: await phoneNumbers(options.allowAnyNumber === true),
  }
  const form = openForm([idField, toField], context)
  const request = async () => {
    const phoneNumberId = await form.answer(idField)
    const to = await form.answer(toField)
    const customer = { number: to, ...(customerName === undefined ? {} : { name: customerName }) }
    return {
      path: callPaths.connect,
      body: { direction, phoneNumberId, customer },
      facts: {
        'Phone number id': phoneNumberId,
        Customer: customerName === undefined ? to : `${to} (${customerName})`,
        Direction: direction,
      },
      route: `${direction}, ${to}`,
    }
  }
  await placeCall(
    { asks: form.asks, request },
    options,
    async (body, isFollowed) => {
      const answer = await context.api().connectCall(body, { isFollowed })
      const status = typeof answer.status === 'string' ? answer.status : 'placed'
      return { answer, id: answer.id, status }
    },
    context,
  )
}
