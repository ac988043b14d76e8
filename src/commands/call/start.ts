import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'
import type { CallForm } from './place-call.ts'

export const callStartCommand = defineCommand({
  description: 'Call a user from an assistant number',
  examples: [
    'callwright call start --from +12025550100 --to +12025550123 --assistant front-desk',
    'callwright call start --from +12025550100 --to +12025550123 --assistant assistants/front-desk.yaml --follow',
  ],
  topics: ['follow', 'tunnels'],
  flags: withStartFlags,
  needs: placeCallNeeds,
  run: startCall,
  endsItself: ({ follow }) => follow === true,
})

function withStartFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--from <number>', 'Number of the assistant, as +12025550100')
      .option('--to <number>', 'Number of the user, as +12025550123'),
  )
}

/** interface.md 4.1. The POST is never repeated when its outcome is unknown: it would ring twice. */
export async function startCall(options: OptionsOf<typeof withStartFlags>, context: Context): Promise<void> {
  const { phoneNumbers, placeCall } = await import('./place-call.ts')
  const number = await phoneNumbers(options.allowAnyNumber)
  const form = {
    way: 'start',
    fields: [
      { flag: '--from', message: 'Number of the assistant', given: options.from, ...number },
      { flag: '--to', message: 'Number to call', given: options.to, ...number },
    ],
    request: (from, to) => ({
      body: { userNumber: to, assistantNumber: from },
      facts: { From: from, To: to },
      route: `${from} → ${to}`,
    }),
    async send(body, isFollowed) {
      const answer = await context.api().startCall(body, { isFollowed })
      return { answer, id: answer.sid, status: 'placed' }
    },
  } satisfies CallForm
  await placeCall(form, options, context)
}
