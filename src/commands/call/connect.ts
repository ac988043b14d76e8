import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { directions } from '../../interface/words.ts'
import { withPlaceCallFlags } from './flags.ts'
import type { CallRequest, Field } from './place-call.ts'

export const callConnectCommand = defineCommand({
  description: 'Call a customer by phone number id',
  examples: [
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
  ],
  topics: ['follow', 'tunnels'],
  flags: withFlags,
  run: (options, context) => connectCall(options, context),
  endsItself: ({ follow }) => follow === true,
})

function withFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--phone-number-id <id>', 'Id of the phone number that calls')
      .option('--to <number>', 'Number of the customer, as +12025550123')
      .option('--customer-name <name>', 'Name of the customer')
      .addOption(
        new Option('--direction <direction>', 'Direction of the call')
          .choices(directions)
          .default('outbound'),
      ),
  )
}

export type ConnectCallOptions = OptionsOf<typeof withFlags>

/** `call connect` (interface.md 4.2). The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function connectCall(options: ConnectCallOptions, context: Context): Promise<void> {
  const { customerName, direction } = options
  const { checkFollow, openForm, phoneNumbers, placeCall } = await import('./place-call.ts')
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
  const request = async (): Promise<CallRequest> => {
    const phoneNumberId = await form.answer(idField)
    const to = await form.answer(toField)
    const customer = { number: to, ...(customerName === undefined ? {} : { name: customerName }) }
    return {
      way: 'connect',
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
