import { type Command, type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings'
import { parseDuration, parseTargetName } from './option-parsers.ts'

/** A command with any flags. */
export type AnyCommand = CommandUnknownOpts

/** Of a command that has no flags yet. */
export type NoOptions = Record<never, never>

/** What the flags that a function adds come to: `OptionsOf<typeof withLlmFlags<[], NoOptions>>`. */
export type OptionsOf<AddFlags extends (command: Command) => unknown> =
  ReturnType<AddFlags> extends Command<infer _Args, infer Options, infer _Globals> ? Widened<Options> : never

/** On a command line a flag without a value is true or absent; code that calls a command's work may say false. */
type Widened<Options> = {
  readonly [Name in keyof Options]:
    | (Exclude<Options[Name], undefined> extends true ? boolean : Options[Name])
    | (NoOptions extends Pick<Options, Name> ? undefined : never)
}

/** A flag with what commander does not know of one. */
export class Flag<Usage extends string> extends Option<Usage> {
  /** Its value may hold a secret: no error shows it, also where it is malformed. */
  isSecret = false
  /** It may be given several times. */
  isRepeatable = false
  /** It takes any word: its choices are those that help shows and shells offer. */
  isOpen = false
  /** Said where it stands without a flag of this name, which it requires: another flag may have been meant. */
  readonly alternatives = new Map<string, string>()

  secret(): this {
    this.isSecret = true
    return this
  }

  /** Collects its values; the help says that it may be given several times. */
  repeatable<Collected>(collect: (text: string, collected: Collected | undefined) => Collected) {
    this.isRepeatable = true
    this.description += ' (repeatable)'
    return this.argParser<Collected>(collect)
  }

  /** For one that is easily taken for another: `without('tunnel', 'a URL … goes into --public-url')`. */
  without(needed: string, alternative: string): this {
    this.alternatives.set(needed, alternative)
    return this
  }

  /** Choices that help shows and shells offer; any other word is taken too. */
  offers(words: readonly string[]): this {
    this.isOpen = true
    this.choices(words)
    return this
  }
}

/** The flags that every command takes, before or after its name. */
export function withGlobalFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--profile <name>', 'Use this profile')
    .option('--base-url <url>', 'Send requests here')
    .option('--json', 'Print JSON on stdout and nothing else')
    .option('-q, --quiet', 'Print no progress and no notes')
    .option('--debug', 'Log requests and answers to stderr, without secrets')
    .option('--no-input', 'Never ask: fail, and name the flag to give instead')
    .option('--no-color', 'Print without colour')
    .addOption(
      new Flag('--env-file <file>', 'Read variables for ${env:…} from a file too').repeatable(collectFile),
    )
    .option('--timeout <duration>', 'Limit for one request, such as 500ms, 30s or 2m', parseDuration)
}

function collectFile(file: string, files: readonly string[] = []): string[] {
  return [...files, file]
}

/** What they say, `timeout` in milliseconds; `allowOutside` is of the commands that read files alone. */
export type GlobalOptions = Partial<
  OptionsOf<typeof withGlobalFlags<[], NoOptions>> & Pick<FileOptions, 'allowOutside'>
>

/** Adds `--target`. */
export function withTargetFlag<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command.option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
}

/** Adds `--allow-unknown` and `--allow-outside`, of a command that reads files of assistants, tools or knowledge bases. */
export function withFileFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  does: 'Send' | 'Accept' = 'Send',
) {
  return command
    .option('--allow-unknown', `${does} fields that the interface does not know`)
    .option('--allow-outside', 'Allow ${file:…} to read hidden files and files outside the project')
}

export type FileOptions = OptionsOf<typeof withFileFlags<[], NoOptions>>

/** Adds `--junit` and `--sarif`, of a command whose findings are about lines of files. */
export function withReportFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--junit <file>', 'Write a JUnit report too')
    .option('--sarif <file>', 'Write the findings as SARIF too')
}

export type ReportOptions = OptionsOf<typeof withReportFlags<[], NoOptions>>
