import { getCommandPath, leafCommands } from '../../../../src/cli/commands/help/command-help.ts'
import { buildProgram } from '../../../../src/cli/commands/program.ts'
import { declared, effectOf, type Runner } from '../../../../src/cli/shell/cli-command.ts'
import type { Sink } from '../../../../src/cli/shell/context.ts'
import type { AnyCommand } from '../../../../src/cli/shell/flags/flag.ts'

/** The whole command tree on a terminal of that width. Its actions call `run`, by default a function that does nothing. */
export async function buildTree(run: Runner = async () => {}, columns = 80): Promise<AnyCommand> {
  const program = undeclaredTree(run, columns)
  await declared(program, 'tree')
  return program
}

/** The same as a command line begins with: the names of commands alone. */
export function undeclaredTree(run: Runner = async () => {}, columns = 80): AnyCommand {
  const sink: Sink = { columns, write: () => true }
  return buildProgram(run, { stdout: sink, stderr: sink })
}

/** Commands with an effect, which a coding agent leaves to a person. */
export async function commandsForPerson(): Promise<string[]> {
  return leafCommands(await buildTree())
    .filter(command => effectOf(command) !== 'none')
    .map(getCommandPath)
}

/** The command and all below it, hidden ones left out. */
export function commandsOf(command: AnyCommand): AnyCommand[] {
  const visible = command.createHelp().visibleCommands(command)
  return [command, ...visible.flatMap(commandsOf)]
}
