import { Argument, Command } from 'commander'
import type { Runner } from '../runner.ts'
import { type Shell, shells } from './shells.ts'

export function completionCommand(run: Runner): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(shells))
    .description('print the script that completes commands, flags, profiles and files in your shell')
    .addHelpText(
      'after',
      `
Install:
  bash        callwright completion bash > \\
                ~/.local/share/bash-completion/completions/callwright
              (make the folder first; without the package bash-completion,
              source the file in ~/.bashrc)
  zsh         callwright completion zsh > ~/.zfunc/_callwright
              (any folder of your fpath; in ~/.zshrc:
              fpath=(~/.zfunc $fpath), then compinit)
  fish        callwright completion fish > \\
                ~/.config/fish/completions/callwright.fish
  PowerShell  in the file $PROFILE:
              callwright completion powershell | Out-String | Invoke-Expression

Examples:
  $ source <(callwright completion bash)     # this shell only
  $ callwright completion fish > ~/.config/fish/completions/callwright.fish`,
    )
    .action((shell: Shell, _options, command: Command) =>
      run(command, async ({ output }) => {
        const { completionScript } = await import('./render.ts')
        const script = completionScript(shell, command.parent ?? command)
        if (output.json) output.result({ shell, script }, () => script)
        else output.raw(script)
      }),
    )
}
