import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { valueSources } from './values.ts'

export const completionCommand = defineCommand('completion', {
  description: 'Print the script that completes callwright in your shell',
  examples: [
    'source <(callwright completion bash)',
    'callwright completion fish > ~/.config/fish/completions/callwright.fish',
  ],
  topics: ['shells'],
  flags: command =>
    command.addArgument(new Argument('<shell>', 'Shell that reads the script').choices(shells)),
  async run(_options, { output }, [shell]) {
    const { completionScript } = await import('./render.ts')
    const script = completionScript(shell, this.parent ?? this)
    if (output.json) output.result({ shell, script }, () => script)
    else output.raw(script)
  },
})

/** `__complete <source> [word]`, which the scripts run at each Tab: one value a line, with a tab before its description. */
export const completeCommand = defineCommand('__complete', {
  description: 'List the values that a word may become',
  flags: command =>
    command
      .addArgument(new Argument('<source>', 'What to offer').choices(valueSources))
      .argument('[word]', 'What stands before the cursor', ''),
  async run(_options, context, [source, word]) {
    const { findValues } = await import('./find-values.ts')
    const values = await findValues(source, word, context)
    const line = ({ value, description }: (typeof values)[number]) =>
      description === undefined ? value : `${value}\t${description}`
    if (context.output.json) context.output.result({ values }, () => '')
    else context.output.raw(values.map(each => `${line(each)}\n`).join(''))
  },
})

/** Every shell with a completion script. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]
