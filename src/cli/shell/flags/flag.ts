import {
  Argument,
  Command,
  type CommandUnknownOpts,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings'
import { apiHints } from '../../../service/api/index.ts'
import type { Hints } from '../advice.ts'
import { collect, collectVariableName, parseDuration, parseTargetName } from './option-parsers.ts'

/** A command with any flags. */
export type AnyCommand = CommandUnknownOpts

/** Options of a command without flags. */
export type NoOptions = Record<never, never>

/** Options parsed from the flags that a function adds: `OptionsOf<typeof withLlmFlags<[], NoOptions>>`. */
export type OptionsOf<AddFlags> = AddFlags extends (
  command: Command,
) => Command<infer _Args, infer Options, infer _Globals>
  ? Widened<Options>
  : never

/** On a command line a flag without a value is true or absent; code that calls a command's work may say false. */
type Widened<Options> = {
  readonly [Name in keyof Options]:
    | (Exclude<Options[Name], undefined> extends true ? boolean : Options[Name])
    | (NoOptions extends Pick<Options, Name> ? undefined : never)
}

/**
 * Values that completion offers: files, what src/cli/commands/completion/candidates.ts looks up at each Tab, or what the command tree
 * has, such as `topics`.
 */
export type CandidateSource =
  | 'files'
  | 'topics'
  | 'command-schemas'
  | 'profile'
  | 'target'
  | 'adopt'
  | 'forget'
  | 'assistant'
  | 'assistant-id'
  | 'tool'
  | 'kb'
  | 'fault'
  | 'fault-http'
  | 'forward'

/** An argument with what completion offers for it. */
export class Operand<Usage extends string> extends Argument<Usage> {
  sources: readonly CandidateSource[] = []

  completes(...sources: readonly CandidateSource[]): this {
    this.sources = sources
    return this
  }
}

/** A flag with what commander does not know of one. */
export class Flag<Usage extends string> extends Option<Usage> {
  /** True if the value may contain a secret: errors never show it, even if it is malformed. */
  isSecret = false
  /** It may be given several times. */
  isRepeatable = false
  /** Accepts any value: the choices are for help and completion. */
  isOpen = false
  /** Few people need it: a long help page lists it only with `--all`. */
  isRare = false
  sources: readonly CandidateSource[] = []
  /** Extensions that completion adds to the name of a file. */
  extensions: readonly string[] = []
  /** Hints by the name of a required flag, shown if that flag is missing: another flag may have been meant. */
  readonly alternatives = new Map<string, string>()

  /** Hints by the code of an error: they name this flag. */
  hints: Hints = {}

  /** Sets hints for errors of a code, in place of their own: `pass another --port`. */
  helpsWith(hints: Hints): this {
    this.hints = hints
    return this
  }

  secret(): this {
    this.isSecret = true
    return this
  }

  rare(): this {
    this.isRare = true
    return this
  }

  /** Sets what completion offers, where choices and the placeholder of a file do not tell. */
  completes(...sources: readonly CandidateSource[]): this {
    this.sources = sources
    return this
  }

  completesExtensions(extensions: readonly string[]): this {
    this.extensions = extensions
    return this
  }

  /** Collects its values; the help says that it may be given several times. */
  repeatable<Collected>(collect: (text: string, collected: Collected | undefined) => Collected) {
    this.isRepeatable = true
    this.description += ' (repeatable)'
    return this.argParser<Collected>(collect)
  }

  /** Parses its value. Help shows the default as people type it, and not in bytes or milliseconds. */
  parsed<Value>(parse: (text: string) => Value, defaultText: string) {
    return this.argParser<Value>(parse).default(parse(defaultText), defaultText)
  }

  /** A flag that is often confused with another one: `without('tunnel', 'a URL … goes into --public-url')`. */
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
    .addOption(
      new Flag('--profile <name>', 'Profile to use (callyard profile list)').completes('profile').helpsWith({
        'profile-key-withheld':
          'set CALLYARD_API_KEY to a key of that service, or choose another profile with --profile',
      }),
    )
    .addOption(
      new Flag('--base-url <url>', "Base URL of the service, instead of the profile's").helpsWith({
        'environment-key-withheld':
          'if the key belongs to it, also set CALLYARD_BASE_URL, or pass --base-url',
      }),
    )
    .option('--json', 'Print JSON to stdout and nothing else, errors included')
    .option('-q, --quiet', 'Hide progress and notes')
    .option('--debug', 'Log requests and responses to stderr (secrets redacted)')
    .option('--no-input', 'Never prompt; fail and name the missing flag')
    .option('--no-color', 'Disable color')
    .addOption(
      new Flag('--env-file <file>', 'Also read variables for ${env:…} from a file').repeatable(collect),
    )
    .addOption(
      new Flag('--exec-env <name>', 'Give this variable to the programs that callyard starts').repeatable(
        collectVariableName,
      ),
    )
    .addOption(
      new Flag('--timeout <duration>', 'Timeout per request, such as 500ms, 30s or 2m')
        .helpsWith({
          [apiHints.allowMoreTime]: 'pass a longer --timeout, for example --timeout 60s',
          [apiHints.checkOutcomeAfterTimeout]: `${apiHints.checkOutcome}; to wait longer, pass --timeout, for example --timeout 60s`,
        })
        .argParser(parseDuration),
    )
}

/** Global flags with a value: they decide what a command reads and contacts. The others are about its output. */
export function inputFlags({ options }: AnyCommand): readonly Option[] {
  return options.filter(({ required }) => required)
}

/** Global flags of this command, for a command that it runs. Each value is joined to its flag, so that it cannot become another one. */
export function globalArgv(options: GlobalOptions): readonly string[] {
  const values: Readonly<Record<string, unknown>> = options
  return inputFlags(withGlobalFlags(new Command())).flatMap(flag => {
    const unit = flag.parseArg === parseDuration ? 'ms' : ''
    return [values[flag.attributeName()] ?? []].flat().map(value => `${flag.long}=${value}${unit}`)
  })
}

/** Values of the global flags, `timeout` in milliseconds, and two that only commands that read files or ask have. */
export type GlobalOptions = Partial<
  OptionsOf<typeof withGlobalFlags<[], NoOptions>> & OptionsOf<typeof withOutsideFilesFlag<[], NoOptions>>
> & { readonly yes?: boolean | undefined }

/** `--yes` of a command that asks for a confirmation. */
export const yesFlag = (description = 'Skip confirmation') => new Flag('-y, --yes', description)

/** `--force` of a command that writes a new file. */
export const forceFlag = (description: string) =>
  new Flag('--force', description).helpsWith({
    'document-exists': 'choose another name, or pass --force to overwrite it',
  })

/** Hints of errors about `--port` of a sandbox or a receiver. */
export const portHints: Hints = {
  'port-taken': 'stop the other process, or pass another --port (--port 0 for a free one)',
  'port-in-use': 'stop the other process, or pass another --port (--port 0 for a free one)',
  'cannot-listen': ({ isPrivileged }: { isPrivileged: boolean }, hint) =>
    isPrivileged ? 'ports below 1024 require privileges; pass another --port' : hint,
}

/** Adds `--target`. */
export function withTargetFlag<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command.addOption(
    new Flag('--target <name>', 'Lockfile section to use (default: the profile)')
      .rare()
      .completes('target')
      .helpsWith({
        'target-elsewhere': ({ target }: { target: string }) =>
          `use the profile or base URL of ${target}, or pass --target <name> to name another service`,
        'other-team': ({ recorded }: { recorded: string }) =>
          `use a key of team ${recorded}, or pass --target <name> to name the other account`,
      })
      .argParser(parseTargetName),
  )
}

/** Adds `--allow-unknown` and `--allow-outside-files`, of a command that reads files of assistants, tools or knowledge bases. */
export function withFileFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  does: 'Send' | 'Accept' = 'Send',
) {
  return withOutsideFilesFlag(
    command.addOption(new Flag('--allow-unknown', `${does} fields that are not in the interface`).rare()),
  )
}

/** Adds `--allow-outside-files`, of a command that reads files. */
export function withOutsideFilesFlag<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command.addOption(
    new Flag('--allow-outside-files', 'Allow ${file:…} to read hidden files and files outside the project')
      .rare()
      .helpsWith({
        'outside-file': 'move it there, or pass --allow-outside-files if you trust this file',
        'hidden-file': 'pass --allow-outside-files if you trust this file and want to send its text',
      }),
  )
}
