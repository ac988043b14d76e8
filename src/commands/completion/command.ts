import { Argument, type Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'
import { type Shell, shells } from './shells.ts'

export function completionCommand(run: Runner): Command {
  return new CliCommand('completion')
    .addArgument(new Argument('<shell>', 'Shell that reads the script').choices(shells))
    .description('Print the script that completes callwright in your shell')
    .examples(
      'source <(callwright completion bash)',
      'callwright completion fish > ~/.config/fish/completions/callwright.fish',
    )
    .learnMore('shells')
    .action((shell: Shell, _options, command: Command) =>
      run(command, async ({ output }) => {
        const { completionScript } = await import('./render.ts')
        const script = completionScript(shell, command.parent ?? command)
        if (output.json) output.result({ shell, script }, () => script)
        else output.raw(script)
      }),
    )
}
