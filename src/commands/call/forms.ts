import type { Context } from '../../cli/context.ts'
import type { ConnectCallOptions } from './connect.ts'
import { type FieldAnswer, placeCall } from './place-call.ts'
import type { StartCallOptions } from './start.ts'

/** `call start` (interface.md 4.1). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function startCall(options: StartCallOptions, context: Context): Promise<void> {
  const read = await phoneNumbers(options.allowAnyNumber === true)
  return placeCall(
    {
      way: 'start',
      fields: {
        from: { flag: '--from', message: 'Number of the assistant', given: options.from, read },
        to: { flag: '--to', message: 'Number to call', given: options.to, read },
      },
      request: ({ from, to }) => ({
        body: { userNumber: to, assistantNumber: from },
        facts: { From: from, To: to },
        route: `${from} → ${to}`,
      }),
      async send(body, isFollowed) {
        const answer = await context.api().startCall(body, { isFollowed })
        return { answer, id: answer.sid, status: 'placed' }
      },
    },
    options,
    context,
  )
}

/** `call connect` (interface.md 4.2). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function connectCall(options: ConnectCallOptions, context: Context): Promise<void> {
  const { customerName, direction } = options
  const read = await phoneNumbers(options.allowAnyNumber === true)
  return placeCall(
    {
      way: 'connect',
      fields: {
        phoneNumberId: {
          flag: '--phone-number-id',
          message: 'Phone number id',
          given: options.phoneNumberId,
          read: text => (text === '' ? { problem: 'an id is needed' } : { value: text }),
        },
        number: { flag: '--to', message: 'Number of the customer', given: options.to, read },
      },
      request: ({ phoneNumberId, number }) => ({
        body: {
          direction,
          phoneNumberId,
          customer: { number, ...(customerName === undefined ? {} : { name: customerName }) },
        },
        facts: {
          'Phone number id': phoneNumberId,
          Customer: customerName === undefined ? number : `${number} (${customerName})`,
          Direction: direction,
        },
        route: `${direction}, ${number}`,
      }),
      async send(body, isFollowed) {
        const answer = await context.api().connectCall(body, { isFollowed })
        const status = typeof answer.status === 'string' ? answer.status : 'placed'
        return { answer, id: answer.id, status }
      },
    },
    options,
    context,
  )
}

/**
 * Phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With `allowAny` a number is
 * taken as it is.
 */
export async function phoneNumbers(allowAny: boolean): Promise<(text: string) => FieldAnswer> {
  if (allowAny) return text => (text === '' ? { problem: 'a number is needed' } : { value: text })
  const { default: parse } = await import('libphonenumber-js')
  return text => {
    const parsed = parse(text.trim(), { extract: false })
    if (parsed?.isPossible() === true && parsed.ext === undefined) return { value: parsed.number }
    return {
      problem: `${JSON.stringify(text)} is not a phone number with its country code`,
      hint: 'write + and country code first: +12025550123; --allow-any-number skips this check',
    }
  }
}
