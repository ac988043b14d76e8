import { Command, type Option, type OptionValues } from '@commander-js/extra-typings'
import type { ZodMiniType } from 'zod/mini'
import { CallyardError } from '../../lib/error.ts'
import { lazy } from '../../lib/lazy.ts'
import type { Context } from './context.ts'
import { type AnyCommand, Flag } from './flags/flag.ts'
import { OutFlag } from './flags/out-flag.ts'
import type { TopicName } from './help-topics.ts'
import type { SchemaBuilders } from './schema-builders.ts'

/** Runs a command's work with the context that its global options ask for. */
export type Runner = (
  command: AnyCommand,
  work: (context: Context) => Promise<void>,
  options: { readonly handlesSignal: boolean },
) => Promise<void>

export interface HelpTexts {
  /** A verb first, no full stop. */
  readonly description: string
  /** Description in the list of commands, if it differs. */
  readonly summary?: string
  /** Command lines for the help page, one to three. A long one is broken before its flags and pipes. */
  readonly examples?: readonly string[]
  /** Topics of `callyard help` that say more. Prose belongs there, not on the page of a command. */
  readonly topics?: readonly TopicName[]
}

/** Schemas of the --json output. A command that has both selects one by its flags. */
export interface ResultSchemas {
  readonly document?: ZodMiniType
  /** Each line of a stream. */
  readonly event?: ZodMiniType
}

/** Declares what a command is: its texts, arguments, flags and work. It may load them first. */
export interface CommandDefinition {
  (command: CliCommand, run: Runner): void | Promise<void>
  /** Commands below it, whose names are known before it is loaded. */
  readonly verbs?: Commands
}

/** Commands by their names, in the order of their help. */
export type Commands = Readonly<Record<string, CommandDefinition>>

/**
 * Effects of a command: `changes` changes the service, deletes records, or decides which service is used; `calls` places or controls
 * calls. A coding agent leaves both to the person in charge.
 */
export const effects = ['none', 'changes', 'calls'] as const
export type Effect = (typeof effects)[number]

/** A command whose help page shows examples, and names the topics that say more. Of most commands only the name is known at first. */
export class CliCommand extends Command {
  examples: readonly string[] = []
  topics: readonly TopicName[] = []
  effect: Effect = 'none'
  /** True if its page also lists flags that few people need. */
  showsAllFlags = false
  /** Undefined for a command that only groups others, and for one without a result of its own. */
  result: (() => Promise<ResultSchemas>) | undefined
  /** Called by the root with the path of a command that is about to run, before its code is loaded. */
  beforeLoading: ((path: string) => Promise<void>) | undefined
  /** Words of the command line after its name, up to the first flag that only a command below it may know. */
  #operands: readonly string[] = []
  readonly #declare: (command: CliCommand) => Promise<void>
  #declared: Promise<void> | undefined

  constructor(name: string, declare: (command: CliCommand) => Promise<void> = async () => {}) {
    super(name)
    this.helpCommand(false)
    this.hook('preSubcommand', async (_, next) => {
      const root = commandsAbove(next).at(-1)
      if (root instanceof CliCommand) await root.beforeLoading?.(pathOf(next))
      await declared(next)
    })
    this.#declare = declare
  }

  describe({ description, summary = '', examples = [], topics = [] }: HelpTexts): this {
    this.examples = examples
    this.topics = topics
    return this.description(description).summary(summary)
  }

  /** Declares its flags and action on first use. */
  declared(): Promise<void> {
    this.#declared ??= this.#declare(this)
    return this.#declared
  }

  /** Leaves flags to the command below it that is named: both may have one of the same name, with other values. */
  override parseOptions(argv: string[]) {
    const { parent } = this
    const operands = parent instanceof CliCommand ? parent.#operands.slice(1) : []
    const isForChild = this.commands.some(child => child.name() === operands[0])
    const parsed = isForChild ? { operands: [], unknown: argv } : super.parseOptions(argv)
    this.#operands = [...operands, ...parsed.operands]
    return parsed
  }

  /** Does nothing: src/cli/commands/run.ts declares the flags of a command, then shows its page. */
  override outputHelp(): void {}
}

/** Declares a command or, with `tree`, all commands below it too. */
export async function declared(command: AnyCommand, below: 'none' | 'tree' = 'none'): Promise<void> {
  if (command instanceof CliCommand) await command.declared()
  if (below === 'tree') await Promise.all(command.commands.map(child => declared(child, 'tree')))
}

/** Under the name of an option: those that require it. */
export type FlagNeeds<Name extends string = string> = { readonly [Needed in Name]?: readonly Name[] }

interface CommandSpec<Args extends unknown[], Options extends OptionValues> extends HelpTexts {
  readonly effect: Effect
  /** Declares the arguments and flags with the types that `run` accepts. */
  readonly flags: (command: Command) => Command<Args, Options>
  /**
   * Creates the schemas of its result, which only `schema` and tests read, or takes them from the room that makes the document; undefined
   * if stdout belongs to another program.
   */
  readonly result: ((builders: SchemaBuilders) => ResultSchemas | Promise<ResultSchemas>) | undefined
  /** The command's action. It imports what it needs when it runs, because help, errors and completion need only the flags. */
  readonly run: (this: AnyCommand, options: Options, context: Context, args: Args) => Promise<void>
  /** For which options it ends well by itself after context.signal, however long that takes. Else it is given up soon. */
  readonly handlesSignal?: (options: Options) => boolean
  readonly needs?: NoInfer<FlagNeeds<keyof Options & string>>
}

/** Defines a command: its flags, help and action. The tree (src/cli/commands/program.ts) names it. */
export function defineCommand<Args extends unknown[], Options extends OptionValues>(
  spec: CommandSpec<Args, Options>,
): CommandDefinition {
  return (command, run) => {
    command.effect = spec.effect
    const { result } = spec
    command.result = result && lazy(async () => result((await import('./schema-builders.ts')).schemaBuilders))
    const flagged = spec.flags(command.describe(spec))
    flagged.action(() => {
      inheritParentFlags(command)
      const options = flagged.opts()
      const work = async (context: Context) => {
        assertNeeds(command, spec.needs ?? {})
        const outFlag = command.options.find(option => option instanceof OutFlag)
        if (outFlag !== undefined && command.getOptionValue('out') !== undefined) {
          const { assertOutFiles } = await import('./out-file.ts')
          await assertOutFiles(outFlag, options, flagged.processedArgs, context)
        }
        await spec.run.call(command, options, context, flagged.processedArgs)
      }
      return run(command, work, { handlesSignal: spec.handlesSignal?.(options) ?? false })
    })
  }
}

export function effectOf(command: AnyCommand): Effect {
  return command instanceof CliCommand ? command.effect : 'none'
}

/** `call start`. */
export function pathOf(command: AnyCommand): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trimStart()
}

/**
 * A flag before the name of a command belongs to the one above it, although it may be meant for the one below.
 * @throws CallyardError `usage` for a flag whose values differ between the two
 */
function inheritParentFlags(command: AnyCommand): void {
  for (const option of command.options) {
    const name = option.attributeName()
    const above = commandsAbove(command).find(parent => parent.getOptionValueSource(name) === 'cli')
    if (above === undefined) continue
    if (above.options.find(({ long }) => long === option.long)?.parseArg !== option.parseArg)
      throw new CallyardError(
        'usage',
        `${option.long} before ${command.name()} is a flag of ${pathOf(above)}`,
        {
          hint: `put it after ${pathOf(command)}`,
        },
      )
    command.setOptionValueWithSource(name, above.getOptionValue(name), 'cli')
  }
}

function commandsAbove({ parent }: AnyCommand): readonly AnyCommand[] {
  return parent === null ? [] : [parent, ...commandsAbove(parent)]
}

/** @throws CallyardError `usage` for a flag without a required other flag */
function assertNeeds(command: AnyCommand, needs: FlagNeeds): void {
  const isGiven = (option: Option) => {
    const value = command.getOptionValue(option.attributeName())
    return option.negate ? value === false : value !== option.defaultValue
  }
  for (const needed of command.options) {
    const needing = needs[needed.attributeName()] ?? []
    const idle = command.options.find(option => needing.includes(option.attributeName()) && isGiven(option))
    if (idle === undefined || isGiven(needed)) continue
    const alternative = idle instanceof Flag ? idle.alternatives.get(needed.attributeName()) : undefined
    throw new CallyardError('usage', `${idle.long} requires ${needed.long}`, {
      hint: `add ${needed.flags}, or remove ${idle.long}${alternative === undefined ? '' : `; ${alternative}`}`,
    })
  }
}

/** @throws CallyardError `usage` if two of these are given, by their names for a person */
export function assertExclusive(
  values: Readonly<Record<string, unknown>>,
  hint = 'remove one of them',
): void {
  const [one, other] = Object.keys(values).filter(name => (values[name] ?? false) !== false)
  if (one === undefined || other === undefined) return
  throw new CallyardError('usage', `${one} and ${other} cannot be used together`, { hint })
}

/** A noun: a command that only groups others. */
export function defineGroup({
  verbs,
  ...texts
}: HelpTexts & { readonly verbs: Commands }): CommandDefinition {
  return withVerbs(command => void command.describe(texts), verbs)
}

/** A command with commands below it: `test`, next to `test record`. */
export function withVerbs(define: CommandDefinition, verbs: Commands): CommandDefinition {
  return Object.assign<CommandDefinition, { verbs: Commands }>((...to) => define(...to), { verbs })
}

/** Paths of commands and of those below them, `call` and `call start`. Loads none of them. */
export function pathsOf(commands: Commands): string[] {
  return Object.entries(commands).flatMap(([name, { verbs = {} }]) => [
    name,
    ...pathsOf(verbs).map(path => `${name} ${path}`),
  ])
}

/** Adds commands by name, to be loaded on demand. */
export function addCommands(
  parent: CliCommand,
  commands: Commands,
  run: Runner,
  options?: { readonly hidden: boolean },
): void {
  for (const [name, define] of Object.entries(commands)) {
    const command = new CliCommand(name, async loadedCommand => {
      await define(loadedCommand, run)
      addCommands(loadedCommand, define.verbs ?? {}, run)
      refuseRepeats(loadedCommand)
    })
    parent.addCommand(command.copyInheritedSettings(parent), options)
  }
}

function takesOneValue(option: Option): boolean {
  const { required, optional, variadic } = option
  return (required || optional) && !variadic && !(option instanceof Flag && option.isRepeatable)
}

/** Commander uses the last of two values, such as `--to` of a script and one that was appended to try it. */
export function refuseRepeats(command: CliCommand): void {
  for (const option of command.options.filter(takesOneValue)) {
    let first: string | undefined
    command.on(`option:${option.name()}`, (value: string | null) => {
      if (first === undefined) first = value ?? ''
      else throw givenTwice(option, [first, value ?? ''])
    })
  }
}

function givenTwice(option: Option, values: readonly string[]): CallyardError {
  const valuesText = option instanceof Flag && option.isSecret ? '' : `: ${values.join(' and ').trim()}`
  return new CallyardError('usage', `${option.long} is given twice${valuesText}`, {
    hint: 'it takes one value; remove the other',
  })
}
