import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings'
import { Flag, type NoOptions, type OptionsOf } from '../../cli/flags/flag.ts'
import { parseDuration, parseInteger } from '../../cli/flags/option-parsers.ts'
import { messageRoles, webhookStatuses } from '../../interface/words.ts'
import { reasonOf } from '../../lib/error.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import type { TimestampForm } from '../../transcript/index.ts'
import { type ForwardTarget, keyOf } from '../../webhook/index.ts'
import { collectHeader, parseReceiver } from './receiver-flags.ts'

/** What of a call is shown. Adds --call, --type, --role and --status. */
export function withFilterFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withMessageFlags(
    command
      .addOption(new Flag('--call <id>', 'Show only this call').repeatable(collectId))
      .addOption(new Flag('--type <type>', 'Show only events of this type').repeatable(collectId)),
  )
}

export type FilterOptions = OptionsOf<typeof withFilterFlags<[], NoOptions>>

/** Adds --role and --status alone: for a command that has its own --call and --type. */
export function withMessageFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(new Flag('--role <role>', 'Show only this role').offers(messageRoles).repeatable(collectId))
    .addOption(
      new Flag('--status <status>', 'Show only this status').offers(webhookStatuses).repeatable(collectId),
    )
}

/** One of the collected words, or more. @throws InvalidArgumentError without a word */
export function collectId(text: string, collected: readonly string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return [...collected, text]
}

export const timestampForms = ['relative', 'local', 'iso', 'none'] as const satisfies readonly TimestampForm[]

/** How a transcript looks on a terminal. Adds --compact and --timestamps. */
export function withFormatFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command.option('--compact', 'Print each message on one line, cut at the width').addOption(
    new Option('--timestamps <form>', 'Print times')
      .choices(timestampForms)
      .argParser(text => parseWord(text, timestampForms))
      .default('none'),
  )
}

export type FormatOptions = OptionsOf<typeof withFormatFlags<[], NoOptions>>

/** One of the words. @throws InvalidArgumentError with the one that was probably meant */
function parseWord<Word extends string>(text: string, allowed: readonly Word[]): Word {
  const word = allowed.find(candidate => candidate === text)
  if (word !== undefined) return word
  const meant = didYouMean(text, allowed)
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `Did you mean ${meant}? `}Give one of ${allowed.join(', ')}.`,
  )
}

/** How the service reaches the listener. Adds --tunnel, --tunnel-url and --public-url. */
export function withExposureFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--tunnel [command]', 'Start a tunnel program for a public URL')
    .option('--tunnel-url <pattern>', 'Pattern of the public URL in its output', parsePattern)
    .option('--public-url <url>', 'URL at which the service reaches this listener', parsePublicUrl)
}

/** `tunnel` is true for the first tunnel program that is installed. */
export type ExposureOptions = OptionsOf<typeof withExposureFlags<[], NoOptions>>

function parsePattern(source: string): RegExp {
  try {
    return new RegExp(source)
  } catch (error) {
    throw new InvalidArgumentError(`Give a regular expression. ${reasonOf(error)}`)
  }
}

function parsePublicUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give an http or https address, such as https://hooks.example.com.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Give it without user and password.')
  }
  url.hash = ''
  return url.href
}

/** Where events are sent on. Adds --forward and the flags about it. */
export function withForwardFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(
      new Flag('--forward <[type=]url>', 'Send events to this server too').secret().repeatable(collectTarget),
    )
    .addOption(
      new Flag('--forward-header <header>', "Send this 'name: value' with them")
        .secret()
        .repeatable(collectHeader),
    )
    .option('--forward-only-new', 'Forward only events that carry something new')
    .option('--forward-retries <number>', 'Send an event that failed again (default: 0)', text =>
      parseInteger(text, 0, maxRetries),
    )
    .option('--resume', 'Deliver first what an earlier tail left')
    .addOption(
      new Option('--drain <duration>', 'Wait at the end for deliveries')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
}

/** With headers that were read; `drain` in milliseconds. */
export interface ForwardOptions
  extends Omit<OptionsOf<typeof withForwardFlags<[], NoOptions>>, 'forwardHeader'> {
  readonly forwardHeader?: Readonly<Record<string, string>> | undefined
}

const maxRetries = 100

function collectTarget(
  text: string,
  collected: readonly Pick<ForwardTarget, 'url' | 'type'>[] = [],
): Pick<ForwardTarget, 'url' | 'type'>[] {
  const [, type, address = text] = /^([^=/:?#\s]+)=(.*)$/.exec(text) ?? []
  const target = { type, url: parseReceiver(address) }
  if (collected.some(other => keyOf(other) === keyOf(target)))
    throw new InvalidArgumentError('It is given twice.')
  return [...collected, target]
}

/** A program for each message that was not seen before. Adds --exec and the flags about it. */
export function withExecFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--exec <command>', 'Run this for each new message, its JSON on stdin')
    .option('--exec-shell', 'Let the shell read the command of --exec')
    .option('--exec-at-once <number>', 'Programs at a time (default: 4)', text =>
      parseInteger(text, 1, maxConcurrent),
    )
    .option('--exec-timeout <duration>', 'End a program that takes longer (default: 60s)', parseDuration)
}

/** `execTimeout` in milliseconds. */
export type ExecFlags = OptionsOf<typeof withExecFlags<[], NoOptions>>

/** More programs side by side than this are a mistake. */
const maxConcurrent = 64
