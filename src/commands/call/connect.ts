import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { directions } from '../../interface/words.ts'
import { withPlaceCallFlags } from './flags.ts'
import type { CallForm, Field } from './place-call.ts'

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
  const { phoneNumbers, placeCall } = await import('./place-call.ts')
  const id: Field = {
    flag: '--phone-number-id',
    message: 'Phone number id',
    given: options.phoneNumberId,
    read: text => (text === '' ? { problem: 'an id is needed' } : { value: text }),
  }
  const to: Field = {
    flag: '--to',
    message: 'Number of the customer',
    given: options.to,
    read: await phoneNumbers(options.allowAnyNumber === true),
  }
  const form: CallForm = {
    way: 'connect',
    fields: [id, to],
    async request(answer) {
      const phoneNumberId = await answer(id)
      const number = await answer(to)
      const customer = { number, ...(customerName === undefined ? {} : { name: customerName }) }
      return {
        body: { direction, phoneNumberId, customer },
        facts: {
          'Phone number id': phoneNumberId,
          Customer: customerName === undefined ? number : `${number} (${customerName})`,
          Direction: direction,
        },
        route: `${direction}, ${number}`,
      }
    },
    async send(body, isFollowed) {
      const answer = await context.api().connectCall(body, { isFollowed })
      const status = typeof answer.status === 'string' ? answer.status : 'placed'
      return { answer, id: answer.id, status }
    },
  }
  await placeCall(form, options, context)
}
