import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { directions } from '../../interface/words.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'
import type { CallForm } from './place-call.ts'

export const callConnectCommand = defineCommand({
  description: 'Call a customer by phone number id',
  examples: [
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
  ],
  topics: ['follow', 'tunnels'],
  flags: withConnectFlags,
  needs: placeCallNeeds,
  /** interface.md 4.2. The POST is never repeated when its outcome is unknown: it would ring twice. */
  async run(options, context) {
    const { phoneNumbers, placeCall } = await import('./place-call.ts')
    const { customerName: name, direction } = options
    const form = {
      way: 'connect',
      fields: [
        {
          flag: '--phone-number-id',
          message: 'Phone number id',
          given: options.phoneNumberId,
          read: text => (text === '' ? { problem: 'an id is needed' } : { value: text }),
        },
        {
          flag: '--to',
          message: 'Number of the customer',
          given: options.to,
          ...(await phoneNumbers(options.allowAnyNumber)),
        },
      ],
      request: (phoneNumberId, number) => ({
        body: { direction, phoneNumberId, customer: { number, name } },
        facts: {
          'Phone number id': phoneNumberId,
          Customer: name === undefined ? number : `${number} (${name})`,
          Direction: direction,
        },
        route: `${direction}, ${number}`,
      }),
      async send(body, isFollowed) {
        const answer = await context.api().connectCall(body, { isFollowed })
        const status = typeof answer.status === 'string' ? answer.status : 'placed'
        return { answer, id: answer.id, status }
      },
    } satisfies CallForm
    await placeCall(form, options, context)
  },
  endsItself: ({ follow }) => follow === true,
})

function withConnectFlags(command: Command) {
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
