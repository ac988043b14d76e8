import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import { type BatchSettings, columnSetting } from '../../../calls/batch/index.ts'
import { type ColumnUse, columnUses } from '../../../files/formats/batch.ts'
import { usesOfHeading } from '../../../files/tables/index.ts'
import { fieldExtensions, hasExtension } from '../../../lib/fs/extension.ts'
import { listed } from '../../../lib/text/count.ts'
import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import { quoteForShell } from '../../../lib/text/escape.ts'
import { splitPair } from '../../../lib/text/pair.ts'
import type { Hints } from '../../shell/advice.ts'
import type { FlagNeeds } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import {
  Flag,
  type NoOptions,
  type OptionsOf,
  withFileFlags,
  withTargetFlag,
} from '../../shell/flags/flag.ts'
import {
  collect,
  collectVariable,
  integerParser,
  parseEncoding,
  parseTargetName,
} from '../../shell/flags/option-parsers.ts'
import { assistantHints } from '../call/flags.ts'
import { collectNatsUrl, credentialOptions, withCredentialFlags } from '../webhook/broker-flags.ts'

/** Names the columns of a use with flags. */
function columnFlags(use: ColumnUse, columns: readonly string[]): string {
  return columns.map(column => `--column ${quoteForShell(`${use}=${column}`)}`).join(' ')
}

/** Names the columns of a use with flags, or in a batch file. */
function naming(use: ColumnUse, columns: readonly string[]): string {
  return `${columnFlags(use, columns)}, or ${columnSetting(use, columns)}`
}

interface NamedColumns {
  readonly use: ColumnUse
  readonly columns: readonly string[]
}

const otherMeaning = ({ column, columns = [column] }: { column: string; columns?: string[] }, hint: string) =>
  hint.replace(/set columns.*$/, `pass ${naming('other', columns)}`)

const namingCountry = (_: unknown, hint: string) =>
  hint.replace('set defaultCountry', 'pass --default-country <code> (defaultCountry in a batch file)')

const columnHints: Hints = {
  'no-number-column': (_, hint) => hint.replace('name it: ', 'name it: --column to=…, or '),
  'several-number-columns': ({ columns }: NamedColumns) =>
    `name one, or several in the order in which they are called: ${naming('to', columns)}`,
  'several-columns': ({ use, columns }: NamedColumns) => `name one: ${naming(use, columns.slice(0, 1))}`,
  'two-readings': ({ column, uses }: { readonly column: string; readonly uses: readonly ColumnUse[] }) =>
    `say which: ${uses.map(use => naming(use, [column])).join('; or ')}`,
  ...{ 'marked-do-not-call': otherMeaning, 'no-consent': otherMeaning },
  ...{ 'empty-consent': otherMeaning, 'unclear-column': otherMeaning },
  'undecided-column': ({ column }: { readonly column: string }, hint) =>
    `${hint.replaceAll(/columns: \{ (\w+): .*? \} in a batch file/g, (_, use) => columnFlags(use, [column]))}; columns in a batch file does the same`,
}

/** Adds the argument and the flag that name a batch. */
export function withBatchName<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .argument('<batch>', 'Batch file, name of one in batches/, or list of people')
    .addOption(
      new Flag('--name <name>', 'Name of the batch (default: that of its file)')
        .rare()
        .argParser(parseTargetName),
    )
}

/** Adds the flags that name a batch and replace settings of its file. */
export function withBatchFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  const settings = withBatchName(command)
    .optionsGroup('SETTINGS OF THE BATCH')
    .addOption(
      new Flag('--from <number>', 'Number that the calls come from')
        .helpsWith({
          'name the number that the calls come from':
            'pass the number that the calls come from: --from +12025550100',
        })
        .repeatable(collect),
    )
    .addOption(
      new Flag('--assistant <file|name>', 'Assistant: its file, name or id')
        .helpsWith(assistantHints)
        .completes('assistant', 'files'),
    )
    .addOption(
      new Flag('--var <name=value>', 'Value for {{name}} in all calls')
        .helpsWith({
          'unset-variable': ({ variable }: { readonly variable: string }, hint) =>
            hint.replace(' for all under', ` for all: --var ${variable}=…, or under`),
        })
        .repeatable(collectVariable),
    )
    .addOption(
      new Flag('--column <use=name>', 'Use of a column, such as to=mobile')
        .helpsWith(columnHints)
        .repeatable(collectColumn),
    )
    .addOption(
      new Flag('--encoding <name>', 'Encoding of a list, such as windows-1250')
        .rare()
        .helpsWith({
          'set encoding in the batch file, or save the list as UTF-8': ({
            otherEncoding,
          }: {
            readonly otherEncoding: string
          }) =>
            `set encoding in the batch file or pass --encoding, such as --encoding ${otherEncoding}; or save the list as UTF-8`,
        })
        .argParser(parseEncoding),
    )
    .addOption(
      new Flag('--default-country <code>', 'Country of numbers without one, such as US')
        .rare()
        .helpsWith({
          ...{ 'invalid-number': namingCountry, 'lost-plus': namingCountry },
          'unreadable-do-not-call': namingCountry,
          'unknown-country': 'pass two letters, such as --default-country US, or set defaultCountry',
        })
        .argParser(code => code.toUpperCase()),
    )
    .addOption(
      new Flag('--days <days>', 'Days of the week, such as mon-fri').helpsWith({
        'window-stays-closed': 'check --days, --hours and --until, or window and until in the batch file',
      }),
    )
    .addOption(
      new Flag('--hours <times>', 'Times of day, such as 09:00-20:00').helpsWith({
        'no-window': 'set one with --hours 09:00-20:00 --timezone <zone>, or under window in a batch file',
      }),
    )
    .addOption(
      new Flag('--timezone <zone>', 'Time zone of days and hours, or contact').rare().helpsWith({
        'missing-timezone':
          'pass --timezone <zone> for all, or set window.timezone; window.otherwise is that of people without one',
      }),
    )
    .addOption(
      new Flag('--until <time>', 'End, such as 2026-12-01T18:00[America/New_York]').rare().helpsWith({
        'end-has-passed': 'choose a later end: --until <time>, or until in the batch file',
      }),
    )
    .option('--rate <rate>', 'Calls that begin in a time, such as 20/min')
    .option('--concurrency <number>', 'Maximum number of calls at the same time', integerParser(1, 1000))
    .addOption(
      new Flag('--attempts <number>', 'Maximum number of calls to a person')
        .rare()
        .argParser(integerParser(1, 20)),
    )
    .addOption(
      new Flag('--first <number>', 'Pause after this number of finished calls')
        .rare()
        .argParser(integerParser(1, 1_000_000)),
    )
    .addOption(
      new Flag('--max-calls <number>', 'Maximum number of calls')
        .helpsWith({
          'fewer-calls-than-people': ({ limit }: { readonly limit: string }, hint) =>
            limit === 'from' ? hint : `${hint}; --max-calls or limit.calls allows more`,
        })
        .argParser(integerParser(1, 1_000_000)),
    )
    .addOption(
      new Flag('--max-minutes <number>', 'Maximum number of minutes')
        .rare()
        .argParser(integerParser(1, 10_000_000)),
    )
    .addOption(
      new Flag('--do-not-call <file>', 'File of numbers that are not called').rare().repeatable(collect),
    )
  return withFileFlags(withTargetFlag(settings.optionsGroup('FLAGS')))
}

/** Adds the flags of a batch that runners on several machines share. */
export function withQueueFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  const shared = command
    .optionsGroup('SEVERAL MACHINES')
    .addOption(
      new Flag('--queue <url>', 'Share the batch at this NATS server').secret().repeatable(collectNatsUrl),
    )
  return withCredentialFlags(shared)
}

export type QueueFlags = OptionsOf<typeof withQueueFlags<[], NoOptions>>

/** Options that require --queue. */
export const queueNeeds = { queue: credentialOptions } satisfies FlagNeeds<keyof QueueFlags>

/** Adds the flags of commands that read the list of a batch, which may have been run. */
export function withKnownBatchFlags(command: Command) {
  return withQueueFlags(withBatchFlags(command)).optionsGroup('FLAGS')
}

/** Adds the flags of commands that read neither the file of a batch nor its list. */
export function withStoppedBatchFlags(command: Command) {
  return withQueueFlags(withBatchName(command))
}

/** Collects `--column to=mobile --column to=home`. Several columns with numbers are called in this order. */
function collectColumn(text: string, collected: BatchColumns = {}): BatchColumns {
  const [use = '', column] = splitPair(text) ?? []
  const plainUse = use.toLowerCase().replaceAll(/[-_ ]/g, '')
  const columnUse = columnUses.find(candidate => candidate.toLowerCase() === plainUse)
  const isNone = column === '' && (columnUse === 'consent' || columnUse === 'doNotCall')
  if (columnUse === undefined || column === undefined || (column === '' && !isNone)) {
    const [heading] = usesOfHeading(use)
    const headingUse = heading === 'phone' ? 'to' : columnUses.find(candidate => candidate === heading)
    const similar = headingUse ?? didYouMean(use, columnUses)
    const suggestion =
      columnUse !== undefined || use === '' || similar === undefined
        ? ''
        : `Did you mean ${similar}=${column}? `
    throw new InvalidArgumentError(
      `${suggestion}Write <use>=<column>, such as to=mobile, with one of the uses ${listed(columnUses, 9, ' and')}.`,
    )
  }
  if (isNone) return { ...collected, [columnUse]: false }
  if (columnUse === 'to' || columnUse === 'consent' || columnUse === 'doNotCall' || columnUse === 'other')
    return { ...collected, [columnUse]: [...[collected[columnUse] || []].flat(), column] }
  if (collected[columnUse] !== undefined) throw new InvalidArgumentError(`${columnUse} is given twice.`)
  return { ...collected, [columnUse]: column }
}

type BatchColumns = NonNullable<BatchSettings['columns']>

export type BatchOptions = OptionsOf<typeof withBatchFlags<[], NoOptions>>

/** Returns the settings that flags give; their paths are relative to the working folder. */
export function settingsOf(options: BatchOptions, { resolve }: Context): BatchSettings {
  const {
    from,
    assistant,
    var: variables,
    encoding,
    defaultCountry,
    until,
    rate,
    doNotCall,
    maxCalls,
  } = options
  const { column: columns, days, hours, timezone, concurrency, attempts, first, maxMinutes } = options
  const window = { ...(days && { days }), ...(hours && { hours }), ...(timezone && { timezone }) }
  const limit = { ...(maxCalls && { calls: maxCalls }), ...(maxMinutes && { minutes: maxMinutes }) }
  // In two parts: the compiler works twice as long for each optional field of an object.
  const people: BatchSettings = {
    ...(columns && { columns }),
    ...(encoding && { encoding }),
    ...(variables && { variables }),
    ...(defaultCountry && { defaultCountry }),
    ...(doNotCall && { doNotCall: doNotCall.map(resolve) }),
  }
  const calls: BatchSettings = {
    ...(from && { from: [...from] }),
    // A file stays the same when the batch is resumed from another folder.
    ...(assistant && {
      assistant:
        hasExtension(assistant, fieldExtensions) && existsSync(resolve(assistant))
          ? resolve(assistant)
          : assistant,
    }),
    ...(Object.keys(window).length > 0 && { window }),
    ...(until && { until }),
    ...(rate && { rate }),
    ...(concurrency && { concurrency }),
    ...(attempts && { retry: { attempts } }),
    ...(first && { first }),
    ...(Object.keys(limit).length > 0 && { limit }),
  }
  return { ...people, ...calls }
}
