import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'

export const callStartCommand = defineCommand({
  description: 'Call a user from an assistant number',
  examples: [
    'callwright call start --from +12025550100 --to +12025550123 --assistant front-desk',
    'callwright call start --from +12025550100 --to +12025550123 --assistant assistants/front-desk.yaml --follow',
  ],
  topics: ['follow', 'tunnels'],
  flags: withStartFlags,
  needs: placeCallNeeds,
  run: async (options, context) => (await import('./forms.ts')).startCall(options, context),
  endsItself: ({ follow }) => follow === true,
})

function withStartFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--from <number>', 'Number of the assistant, as +12025550100')
      .option('--to <number>', 'Number of the user, as +12025550123'),
  )
}

export type StartCallOptions = OptionsOf<typeof withStartFlags>
