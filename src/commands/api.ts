import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import type { OptionsOf } from '../cli/flags/flag.ts'

export const apiCommand = defineCommand({
  description: 'Send one request with the key of the profile',
  examples: [
    'callwright api GET /assistants/v1/assistants/6650f0c2',
    `callwright api PATCH /assistants/v1/tools/6650f0c2 --data '{"async":true}'`,
  ],
  flags: withFlags,
  run: async (options, context, [method, path]) =>
    (await import('./send-request.ts')).sendRequest({ method, path }, options, context),
})

function withFlags(command: Command) {
  return command
    .argument('<METHOD>', 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS')
    .argument('<path>', 'Path below the base URL, such as /assistants/v1/assistants')
    .option('--data <json>', 'Body: JSON, @file, or @- for stdin')
    .option('--yes', 'Do not ask before a phone rings')
    .option('-i, --include', 'Print the status and headers of the answer too')
}

export type ApiFlags = OptionsOf<typeof withFlags>

/** What `callwright api` sends. */
export const methods: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
