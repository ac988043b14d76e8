import { Command, type OptionValues } from '@commander-js/extra-typings'
import type { Context } from './context.ts'
import type { AnyCommand } from './flags/flag.ts'
import type { TopicName } from './help-topics.ts'

/** Runs a command's work with the context that its global options ask for. */
export type Runner = (
  command: AnyCommand,
  work: (context: Context) => Promise<void>,
  options: { readonly endsItself: boolean },
) => Promise<void>

/** What the help of a command says beside its flags. */
export interface HelpTexts {
  /** A verb first, no full stop. */
  readonly description: string
  /** The description in the list of commands, where it is another one. */
  readonly summary?: string
  /** Command lines for the help page, one to three. A long one is broken before its flags and pipes. */
  readonly examples?: readonly string[]
  /** Topics of `callwright help` that say more. Prose belongs there, not on the page of a command. */
  readonly topics?: readonly TopicName[]
}

/** A command whose help page shows examples, and names the topics that say more. */
export class CliCommand extends Command {
  readonly examples: readonly string[]
  readonly topics: readonly TopicName[]

  constructor(name: string, { description, summary = '', examples = [], topics = [] }: HelpTexts) {
    super(name)
    this.description(description).summary(summary)
    this.examples = examples
    this.topics = topics
  }
}

/** A command of the tree, built when a process starts. */
export type CommandDefinition = (run: Runner) => CliCommand

interface CommandSpec<Args extends unknown[], Options extends OptionValues> extends HelpTexts {
  /** Declares the arguments and flags; their types are those that `run` takes. */
  readonly flags: (command: Command) => Command<Args, Options>
  /** The command's work. What it needs is imported when it runs: each start loads the whole tree. */
  readonly run: (this: AnyCommand, options: Options, context: Context, args: Args) => Promise<void>
  /** For which options it ends well by itself after context.signal, however long that takes. Else it is given up soon. */
  readonly endsItself?: (options: Options) => boolean
}

/** A command that does something: its flags, help and work. */
export function defineCommand<Args extends unknown[], Options extends OptionValues>(
  name: string,
  spec: CommandSpec<Args, Options>,
): CommandDefinition {
  return run => {
    const command = new CliCommand(name, spec)
    const declared = spec.flags(command)
    declared.action(() => {
      const options = declared.opts()
      const work = (context: Context) => spec.run.call(command, options, context, declared.processedArgs)
      return run(command, work, { endsItself: spec.endsItself?.(options) ?? false })
    })
    return command
  }
}

/** A noun: a command that only groups others, in the order of its help. */
export function defineGroup(
  name: string,
  help: HelpTexts,
  commands: readonly CommandDefinition[],
): CommandDefinition {
  return run => {
    const group = new CliCommand(name, help)
    for (const define of commands) group.addCommand(define(run))
    return group
  }
}
