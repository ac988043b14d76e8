import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { parseHttpUrl, parsePort } from '../../cli/flags/option-parsers.ts'
import { withServiceFlags } from './flags.ts'

export const sandboxStartCommand = defineCommand({
  description: 'Start the service, save it as a profile, and log what happens',
  examples: [
    'callwright sandbox start --ui --caller live',
    'callwright sandbox start --fault duplicate=0.5,reorder,delay --seed 7',
  ],
  topics: [
    'sandbox',
    'sandbox-records',
    'sandbox-replies',
    'sandbox-fields',
    'sandbox-faults',
    'sandbox-control',
  ],
  flags: withFlags,
  run: async (options, context) => (await import('./run-sandbox.ts')).serveSandbox(options, context),
  endsItself: () => true,
})

function withFlags(command: Command) {
  return withServiceFlags(
    command
      .option('--host <address>', 'Address to listen on', '127.0.0.1')
      .option('--allow-remote', 'Let --host be an address that others reach')
      .addOption(
        new Option(
          '--public-url <url>',
          'URL at which others reach it (default: from host and port)',
        ).argParser(parsePublicUrl),
      )
      .option('--port <number>', 'Port to listen on; 0 picks a free one', parsePort, 4010)
      .option('--data <file>', 'Keep records here (default: the configuration folder)')
      .addOption(new Option('--memory', 'Keep no records').conflicts('data'))
      .option(
        '--save-profile <name>',
        'Profile while it runs (default: sandbox, or none with --memory or --port 0)',
      )
      .addOption(
        // Its address holds the token, and it is for browsers of this machine.
        new Option('--ui', 'Show the sandbox on a page in the browser too').conflicts([
          'control',
          'allowRemote',
        ]),
      )
      .addOption(
        new Option('--seed-project <folder>', 'Begin with the resources of this project').conflicts(
          'snapshot',
        ),
      ),
  )
}

function parsePublicUrl(text: string): string {
  return parseHttpUrl(text, 'http://sandbox.example.com:4010', 'Give it without user and password.')
}

export type StartOptions = OptionsOf<typeof withFlags>
