import { type Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../../interface/did-you-mean.ts'
import { type WebhookStatus, webhookStatuses } from '../../interface/words.ts'
import { type MessageRole, messageRoles } from '../../webhook/filter.ts'

/** What of a call is shown, as the flags give it; each may be given several times. */
export interface FilterOptions {
  readonly call?: readonly string[] | undefined
  readonly type?: readonly string[] | undefined
  readonly role?: readonly MessageRole[] | undefined
  readonly status?: readonly WebhookStatus[] | undefined
}

/** Adds --call, --type, --role and --status. */
export function withFilterOptions(command: Command): Command {
  return withKindOptions(
    command
      .option('--call <id>', 'show only this call (repeatable)', collectId)
      .option('--type <type>', 'show only events of this type, as status-update (repeatable)', collectId),
  )
}

/** Adds --role and --status alone: for a command that has its own --call and --type. */
export function withKindOptions(command: Command): Command {
  return command
    .addOption(wordOption('--role <role>', 'show only messages of this role (repeatable)', messageRoles))
    .addOption(
      wordOption('--status <status>', 'show only changes to this status (repeatable)', webhookStatuses),
    )
}

/** For the help of a command that takes all four; at most 78 columns. */
export const filterHelp = `A filter chooses what is shown. One flag given several times takes any of its
values; different flags must all hold. --call - is for events that name no
call. --role and --status narrow different kinds, so that together they show
the messages of that role and the changes to that status; alone, --role shows
no statuses and --status no messages. The analysis goes with its status. Other
types than conversation-update and status-update may be given. What is
recorded, forwarded and counted is not filtered; --exec runs for messages that
are shown. A --call or --type that never came is told at the end.`

/** One of the collected words, or more. @throws InvalidArgumentError without a word */
export function collectId(text: string, collected: readonly string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return [...collected, text]
}

function wordOption(flags: string, description: string, allowed: readonly string[]): Option {
  return new Option(flags, description)
    .choices(allowed)
    .argParser((text, collected: readonly string[] = []) => [...collected, parseWord(text, allowed)])
}

/** One of the words. @throws InvalidArgumentError with the one that was probably meant */
export function parseWord<Word extends string>(text: string, allowed: readonly Word[]): Word {
  const word = allowed.find(candidate => candidate === text)
  if (word !== undefined) return word
  const meant = didYouMean(text, allowed)
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `Did you mean ${meant}? `}Give one of ${allowed.join(', ')}.`,
  )
}
