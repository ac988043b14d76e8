import { type Command, InvalidArgumentError } from 'commander'
import { OpenOption } from '../../cli/flags/open-option.ts'
import { webhookStatuses } from '../../interface/words.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { messageRoles } from '../../webhook/index.ts'

/** What of a call is shown, as the flags give it; each may be given several times. */
export interface FilterOptions {
  readonly call?: readonly string[] | undefined
  readonly type?: readonly string[] | undefined
  readonly role?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
}

/** Adds --call, --type, --role and --status. */
export function withFilterOptions<C extends Command>(command: C): C {
  return withKindOptions(
    command
      .option('--call <id>', 'Show only this call (repeatable)', collectId)
      .option('--type <type>', 'Show only events of this type (repeatable)', collectId),
  )
}

/** Adds --role and --status alone: for a command that has its own --call and --type. */
export function withKindOptions<C extends Command>(command: C): C {
  return command
    .addOption(wordOption('--role <role>', 'Show only this role (repeatable)', messageRoles))
    .addOption(wordOption('--status <status>', 'Show only this status (repeatable)', webhookStatuses))
}

/** One of the collected words, or more. @throws InvalidArgumentError without a word */
export function collectId(text: string, collected: readonly string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return [...collected, text]
}

/** Any word is taken: a deployment has others than the ones that a shell offers. */
function wordOption(flags: string, description: string, offered: readonly string[]): OpenOption {
  return new OpenOption(flags, description).choices(offered).argParser(collectId)
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
