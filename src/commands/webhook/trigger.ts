import { Argument, type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { collectMetadata, parseInteger } from '../../cli/flags/option-parsers.ts'
import { webhookStatuses } from '../../interface/words.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import {
  type Assignment,
  type OddShape,
  oddShapeNames,
  type Path,
  parsePath,
  triggers,
} from '../../webhook/index.ts'
import { collectHeader, parseReceiver } from './flags.ts'

const maxMessages = 1000

export const webhookTriggerCommand = defineCommand({
  description: 'Send sample events, a whole call’s, or odd ones, to a server',
  examples: [
    'callwright webhook trigger call --to http://127.0.0.1:3000/hook --messages 12',
    'callwright webhook trigger status-update --set call.userNumber=+12025550142 --dry-run',
  ],
  topics: ['trigger', 'odd-events'],
  flags: withFlags,
  run: async (options, context, [what]) =>
    (await import('./send-samples.ts')).trigger(what, options, context),
})

function withFlags(command: Command) {
  return command
    .addArgument(new Argument('<what>', 'What to send').choices(triggers))
    .addOption(new Flag('--to <url>', 'Address of the server').secret().argParser(parseReceiver))
    .addOption(new Flag('--set <path=value>', 'Change a field, as call.id=CC-1').repeatable(collectSet))
    .addOption(new Flag('--unset <path>', 'Leave a field out, as call').repeatable(collectPath))
    .option('--allow-unknown', 'Let --set add fields that the interface does not have')
    .option('--messages <count>', 'Messages of the conversation (default: 6)', parseCount)
    .addOption(
      new Option('--status <status>', 'Status of the call (default: by the event)').choices(webhookStatuses),
    )
    .option('--call <id>', 'Id of the call (default: a new one)')
    .addOption(new Flag('--shape <name>', 'Send only this odd shape').repeatable(collectShape))
    .addOption(
      new Flag('--header <header>', "Send this 'name: value' too").secret().repeatable(collectHeader),
    )
    .option('--dry-run', 'Print the events and send nothing')
}

export type TriggerOptions = OptionsOf<typeof withFlags>

function parseCount(text: string): number {
  return parseInteger(text, 0, maxMessages)
}

function collectSet(text: string, collected: readonly Assignment[] = []): Assignment[] {
  const equals = text.indexOf('=')
  const path = parsePath(text.slice(0, Math.max(0, equals)))
  if (path === undefined) {
    throw new InvalidArgumentError("Give it as path=value, such as call.id=CC-1 or 'messages[0].text=Hi'.")
  }
  const { value } = collectMetadata(`value=${text.slice(equals + 1)}`)
  return [...collected, { path, value }]
}

function collectPath(text: string, collected: readonly Path[] = []): Path[] {
  const path = parsePath(text)
  if (path === undefined) throw new InvalidArgumentError('Give a path, such as call or call.id.')
  return [...collected, path]
}

function collectShape(text: string, collected: readonly OddShape[] = []): OddShape[] {
  const name = oddShapeNames.find(candidate => candidate === text)
  if (name !== undefined) return [...collected, name]
  const meant = didYouMean(text, oddShapeNames)
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `Did you mean ${meant}? `}callwright help odd-events lists the shapes.`,
  )
}
