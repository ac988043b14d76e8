import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import bash from './bash.txt'
import fish from './fish.txt'
import powershell from './powershell.txt'
import zsh from './zsh.txt'

export const completionCommand = defineCommand({
  description: 'Print the script that completes callwright in your shell',
  examples: [
    'source <(callwright completion bash)',
    'callwright completion fish > ~/.config/fish/completions/callwright.fish',
  ],
  topics: ['shells'],
  flags: command =>
    command.addArgument(new Argument('<shell>', 'Shell that reads the script').choices(shells)),
  async run(_options, { output }, [shell]) {
    const script = scripts[shell]
    if (output.json) output.result({ shell, script }, () => script)
    else output.raw(script)
  },
})

/**
 * `__complete --at=<word> -- <words before it>`, which the scripts run at each Tab. It prints one offer a line, with a tab
 * before its description, and last `:words`, `:files` or `:folders` for what else may stand there, with ` nospace` where
 * more is to be typed after an offer. The word has a flag of its own: Windows PowerShell drops an argument that is empty.
 */
export const completeCommand = defineCommand({
  description: 'List what a word may become',
  flags: command =>
    command
      .argument('[words...]', 'The words before it, without callwright')
      .option('--at <word>', 'The word, up to the cursor', ''),
  async run({ at }, context, [words]) {
    const { complete } = await import('./complete.ts')
    const found = await complete(this.parent ?? this, words, at, context)
    const { offers, alsoTakes, isBegun } = found
    const lines = offers.map(({ value, description }) =>
      description === undefined ? value : `${value}\t${description}`,
    )
    const text = [...lines, `:${alsoTakes}${isBegun ? ' nospace' : ''}`, ''].join('\n')
    if (context.output.json) context.output.result(found, () => text)
    else context.output.raw(text)
  },
})

/** What each shell reads once: it asks `callwright __complete` at each Tab, and knows no command itself. */
const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }

/** Every shell with a completion script. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]
