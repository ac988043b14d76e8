import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import type { RequiredHeader } from '../../../events/receive/index.ts'
import type { TimestampFormat } from '../../../events/transcript/index.ts'
import { messageRoles, webhookStatuses } from '../../../interface/words.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../shell/flags/flag.ts'
import { parseHttpUrl } from '../../shell/flags/option-parsers.ts'

/** Adds --role and --status, which select what is shown. */
export function withMessageFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(new Flag('--role <role>', 'Show only this role').offers(messageRoles).repeatable(collectId))
    .addOption(
      new Flag('--status <status>', 'Show only this status')
        .rare()
        .offers(webhookStatuses)
        .repeatable(collectId),
    )
}

/** One of the collected words, or more. @throws InvalidArgumentError without a word */
export function collectId(text: string, collected: readonly string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return [...collected, text]
}

export const timestampForms = [
  'relative',
  'local',
  'iso',
  'none',
] as const satisfies readonly TimestampFormat[]

/** Adds --compact and --timestamps. */
export function withFormatFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--compact', 'Print each message on one line, truncated')
    .addOption(new Flag('--timestamps <form>', 'Show times').rare().choices(timestampForms).default('none'))
}

/** Adds --tunnel, --tunnel-url and --public-url. */
export function withExposureFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(
      new Flag('--tunnel [command]', 'Start a tunnel to get a public URL')
        .helpsWith({ 'no-tunnel-program': installTunnel, 'tunnel-not-found': installTunnel })
        .argParser(parseCommand),
    )
    .addOption(
      new Flag('--tunnel-url <pattern>', "Pattern of the public URL in the tunnel's output")
        .rare()
        .helpsWith({
          'tunnel-unknown':
            'pass the pattern of the public URL in its output with --tunnel-url <pattern>, or start it yourself and pass --public-url <url>',
          'tunnel-without-url': otherUrl,
          'tunnel-ends': otherUrl,
        })
        .without('tunnel', 'a URL that you have already goes into --public-url'),
    )
    .option('--public-url <url>', 'Public URL of this listener', parsePublicUrl)
}

const installTunnel = ({ known }: { known: readonly string[] }) =>
  `install one of ${known.join(', ')}, or pass your own command: ` +
  "--tunnel '<command>' with {port} or {url}; if you already have a URL, use --public-url"

const otherUrl = 'try running it yourself; if it prints another URL, pass --tunnel-url <pattern>'

/** `--record`, with a hint about a file that is in use. */
export const recordFlag = (description: string) =>
  new Flag('--record <file>', description).helpsWith({
    'recorded-elsewhere': 'stop it, or pass another file to --record',
  })

/** `tunnel` is true for the first tunnel program that is installed. */
export type ExposureOptions = OptionsOf<typeof withExposureFlags<[], NoOptions>>

/** A command for a shell, which runs an empty one without an error. @throws InvalidArgumentError if it is empty, as an unset variable is */
export function parseCommand(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return text
}

function parsePublicUrl(text: string): string {
  return parseHttpUrl(text, 'https://hooks.example.com', 'Use a URL without a user name and password.')
}

/** The address of a webhook receiver that events are sent to. */
export function parseReceiver(text: string): string {
  const advice = "Put the user name and password into a header instead: 'authorization: Basic …'."
  return parseHttpUrl(text, 'http://127.0.0.1:3000/hook', advice)
}

/** A header as the command line gives it: whole, or where its secret is to be read. */
export type HeaderSource =
  | RequiredHeader
  | { readonly name: string; readonly variable: string }
  /** File with lines `name: value`. */
  | { readonly file: string }

const token = "[\\w!#$%&'*+.^`|~-]+"
const wholePattern = new RegExp(`^(${token}):[ \\t]*([^\\r\\n]*?)[ \\t]*$`)
const variablePattern = new RegExp(`^(${token})=env:([A-Za-z_]\\w*)$`)

/** `name: value`, `name=env:VARIABLE`, `@file`. */
export function parseHeaderSource(text: string): HeaderSource {
  if (/^@./.test(text)) return { file: text.slice(1) }
  const [, name, variable] = variablePattern.exec(text) ?? []
  if (name !== undefined && variable !== undefined) return { name, variable }
  const header = parseHeader(text)
  if (header === undefined) throw new InvalidArgumentError("Use 'name: value', name=env:VARIABLE or @file.")
  return header
}

/** Parses `name: value`; undefined if invalid. */
export function parseHeader(text: string): RequiredHeader | undefined {
  const [, name, value] = wholePattern.exec(text) ?? []
  return name === undefined || value === undefined || value === '' ? undefined : { name, value }
}

/** Belong to the connection, which is ours. */
const ofConnection = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]

/** Why a request of ours cannot have this header, in words that do not hold its value. */
export function headerProblem({ name, value }: RequiredHeader): string | undefined {
  const key = name.toLowerCase()
  if (ofConnection.includes(key)) return `${key} cannot be chosen.`
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : `${key} has a character no header can have.`
}

/** Collects headers of requests that we send. */
export function collectHeader(text: string, collected: readonly HeaderSource[] = []): HeaderSource[] {
  const source = parseHeaderSource(text)
  if ('file' in source) return [...collected, source]
  const key = source.name.toLowerCase()
  const problem = headerProblem({ name: key, value: 'value' in source ? source.value : '' })
  if (problem !== undefined) throw new InvalidArgumentError(problem)
  if (collected.some(other => 'name' in other && other.name.toLowerCase() === key))
    throw new InvalidArgumentError(`${key} is given twice.`)
  return [...collected, source]
}

/** Milliseconds that a receiver has for one event: `--timeout`, or 30 s. */
export function eventTimeout({ options }: Context): number {
  return options.timeout ?? 30_000
}
