import type { Command } from '@commander-js/extra-typings'
import { startRequest } from '../../../calls/place/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { phoneNumberRules } from './call-fields.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'
import { placeCall, placeCallResult } from './place-call.ts'

export const callStartCommand = defineCommand({
  description: 'Call a user from an assistant number',
  examples: [
    'callyard call start --from +12025550100 --to +12025550123 --assistant front-desk',
    'callyard call start --from +12025550100 --to +12025550123 --assistant assistants/front-desk.yaml --follow',
  ],
  topics: ['follow', 'tunnels'],
  effect: 'calls',
  flags: withStartFlags,
  needs: placeCallNeeds,
  result: placeCallResult,
  run: startCall,
  handlesSignal: ({ follow }) => follow === true,
})

function withStartFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--from <number>', 'Number of the assistant, such as +12025550100')
      .option('--to <number>', 'Number of the user, such as +12025550123'),
  )
}

/** Places a call with Start call (interface.md 4.1). */
export async function startCall(options: OptionsOf<typeof withStartFlags>, context: Context): Promise<void> {
  const number = await phoneNumberRules(options.allowAnyNumber)
  await placeCall(
    [
      { flag: '--from', message: 'Number of the assistant', value: options.from, ...number },
      { flag: '--to', message: 'Number to call', value: options.to, ...number },
    ],
    (from, to) => ({
      request: startRequest({ from, to }),
      facts: { From: from, To: to },
      route: `${from} → ${to}`,
    }),
    options,
    context,
  )
}
