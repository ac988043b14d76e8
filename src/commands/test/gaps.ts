import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { collect, parseInteger } from '../../cli/flags/option-parsers.ts'
import { withRedactFlags } from './record.ts'

export const testGapsCommand = defineCommand({
  description: 'List what callers asked in vain, as a draft of FAQ entries',
  examples: [
    'callwright test gaps calls.ndjson --out gaps.yaml',
    "callwright test gaps calls.ndjson --fallback '/connect you|colleague/i' --json | jq '.groups[0]'",
  ],
  topics: ['testing', 'recording'],
  flags: withFlags,
  needs: { out: ['force'] },
  run: async (options, context, [file]) => (await import('./list-gaps.ts')).listGaps(file, options, context),
})

function withFlags(command: Command) {
  return withRedactFlags(
    command
      .argument('<recording>', 'Recording of webhook tail --record; - is stdin')
      .addOption(
        new Flag(
          '--fallback <text>',
          'Text or /pattern/ of an assistant without answer (default: usual phrases)',
        ).repeatable(collect),
      )
      .option('--limit <n>', 'Entries to draft at most (default: 50)', text => parseInteger(text, 1, 100_000))
      .option('--out <file>', 'Write the draft to a new file (default: stdout)')
      .option('--force', 'Let --out replace a file'),
  )
}

export type GapsOptions = OptionsOf<typeof withFlags>
