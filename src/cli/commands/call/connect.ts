import { type Command, Option } from '@commander-js/extra-typings'
import { connectRequest } from '../../../calls/place/index.ts'
import { directions } from '../../../interface/words.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { phoneNumberRules } from './call-fields.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'
import { placeCall, placeCallResult } from './place-call.ts'

export const callConnectCommand = defineCommand({
  description: 'Call a customer from a phone number id',
  examples: [
    'callyard call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
    'callyard call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
  ],
  topics: ['follow', 'tunnels'],
  effect: 'calls',
  flags: withConnectFlags,
  needs: placeCallNeeds,
  result: placeCallResult,
  /** Places a call with Create call (interface.md 4.2). */
  async run(options, context) {
    const { customerName, direction } = options
    await placeCall(
      [
        {
          flag: '--phone-number-id',
          message: 'Phone number id',
          value: options.phoneNumberId,
          read: text => (text === '' ? { problem: 'an id is needed' } : { value: text }),
        },
        {
          flag: '--to',
          message: 'Number of the customer',
          value: options.to,
          ...(await phoneNumberRules(options.allowAnyNumber)),
        },
      ],
      (phoneNumberId, to) => ({
        request: connectRequest({ phoneNumberId, to, customerName, direction }),
        facts: {
          'Phone number id': phoneNumberId,
          Customer: customerName === undefined ? to : `${to} (${customerName})`,
          Direction: direction,
        },
        route: `${direction}, ${to}`,
      }),
      options,
      context,
    )
  },
  handlesSignal: ({ follow }) => follow === true,
})

function withConnectFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--phone-number-id <id>', 'Id of the phone number to call from')
      .option('--to <number>', 'Number of the customer, such as +12025550123')
      .option('--customer-name <name>', 'Name of the customer')
      .addOption(
        new Option('--direction <direction>', 'Direction of the call')
          .choices(directions)
          .default('outbound'),
      ),
  )
}
