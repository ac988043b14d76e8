import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { withServiceFlags } from './flags.ts'

export const sandboxExecCommand = defineCommand({
  description: 'Run a program with a sandbox of its own',
  examples: [
    'callwright sandbox exec -- npm test',
    'callwright sandbox exec --project desk --pace 0 -- pytest -x',
  ],
  topics: ['sandbox-exec', 'sandbox', 'exit-codes'],
  flags: withFlags,
  run: async (options, context, [program, args]) =>
    (await import('./run-exec.ts')).execInSandbox({ ...options, program, args }, context),
  endsItself: () => true,
})

function withFlags(command: Command) {
  return withServiceFlags(
    command
      .usage('[flags] -- <program> [args...]')
      .argument('<program>', 'Program to run')
      .argument('[args...]', 'Its arguments, handed over as they are')
      .addOption(
        new Option('--project <folder>', 'Begin with the resources of this project').conflicts('snapshot'),
      ),
  )
}

export type SandboxExecOptions = OptionsOf<typeof withFlags> & {
  readonly program: string
  readonly args: readonly string[]
}
