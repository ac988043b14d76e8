import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../../shell/cli-command.ts'
import bash from './bash.txt'
import fish from './fish.txt'
import { loadCommandTable } from './load-table.ts'
import powershell from './powershell.txt'
import zsh from './zsh.txt'

export const completionCommand = defineCommand({
  description: 'Generate a shell completion script',
  examples: [
    'source <(callyard completion bash)',
    'callyard completion fish > ~/.config/fish/completions/callyard.fish',
  ],
  topics: ['shells'],
  effect: 'none',
  flags: command => command.addArgument(new Argument('<shell>', 'Shell').choices(shells)),
  result: ({ z }) => ({ document: z.object({ shell: z.string(), script: z.string() }) }),
  async run(_options, { output }, [shell]) {
    const script = scripts[shell]
    if (output.json) output.result({ shell, script }, () => script)
    else output.raw(script)
  },
})

/**
 * `__complete --at=<word> -- <words before it>`, which the scripts run at each Tab. The word has a flag of its own: Windows
 * PowerShell drops an argument that is empty. `main.ts` handles most calls with only the command table.
 */
export const completeCommand = defineCommand({
  description: 'List what a word may become',
  effect: 'none',
  flags: command =>
    command
      .argument('[words...]', 'The words before it, without callyard')
      .option('--at <word>', 'The word, up to the cursor', ''),
  result: ({ z, objectList, required }) => ({
    document: z.object({
      offers: objectList({ value: z.string(), description: z.optional(z.string()) }),
      alsoTakes: z.enum(['words', 'files', 'folders']),
      noSpace: required(z.boolean(), 'True if no space follows an offer'),
    }),
  }),
  async run({ at }, context, [words]) {
    const { completionLines, findCompletion, candidatesAt } = await import('./complete.ts')
    const completion = findCompletion(await loadCommandTable(this.parent ?? this), words, at)
    const values =
      completion.source === undefined
        ? []
        : await (await import('./candidates.ts')).findValues(completion.source, completion.word, context)
    const completions = candidatesAt(completion, values)
    if (context.output.json) context.output.result(completions, () => '')
    else context.output.raw(completionLines(completions))
  },
})

/** Scripts that shells read once. They call `callyard __complete` at each Tab and contain no commands. */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]
