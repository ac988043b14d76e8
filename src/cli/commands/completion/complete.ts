import type { Candidate } from './project-values.ts'
import {
  type CommandEntry,
  type FlagEntry,
  readCommandTable,
  type Value,
  type ValueSource,
} from './read-table.ts'

/** Kind of word at the cursor. */
interface Completion {
  /** Offers from the command tree, whether the word may become them or not. */
  readonly offers: readonly Candidate[]
  readonly source?: ValueSource
  /** Values that the shell itself completes beside the offers. */
  readonly alsoTakes: 'words' | 'files' | 'folders'
  /** The word, or the part of it after `--flag=`. */
  readonly word: string
  /** `--flag=`, which each offer repeats. */
  readonly prefix: string
}

/** Offered in one go; a shell that lists more is of no use. */
const maxOffers = 1000

/**
 * The lines for `__complete --at=<word> -- <words before it>` as the completion scripts call it; undefined for other calls, for
 * values that have to be looked up, and without a table. The command itself handles these.
 */
export function completeFromTable([, at = '', separator, ...before]: readonly string[]): string | undefined {
  if (!at.startsWith('--at=') || separator !== '--') return undefined
  const table = readCommandTable()
  const completion = table && findCompletion(table, before, at.slice('--at='.length))
  if (completion === undefined || completion.source !== undefined) return undefined
  return completionLines(candidatesAt(completion))
}

/**
 * Lists completions of the word at the cursor, given the words before it. Skips flags that were given and accept only one value.
 */
export function findCompletion(root: CommandEntry, before: readonly string[], word: string): Completion {
  const line = readLine(root, before)
  const { pending, isLiteral, position, command, group } = line
  const completion = (
    offers: readonly Candidate[],
    value: Value = {},
    from = word,
    prefix = '',
  ): Completion => ({
    offers: [
      ...offers,
      ...[...(value.choices ?? []), ...newFiles(value, from)].map(choice => ({ value: choice })),
    ],
    ...(value.source !== undefined && { source: value.source }),
    alsoTakes: value.alsoTakes ?? 'words',
    word: from,
    prefix,
  })
  if (pending !== undefined && !isNext(pending, word)) return completion([], pending)
  if (!isLiteral && word.startsWith('-')) {
    const [, prefix = '', flag = '', value = ''] = /^((--[^=]+)=)(.*)$/s.exec(word) ?? []
    return prefix === ''
      ? completion(flagsAfter(line))
      : completion([], flagNamed(flag, line.flags), value, prefix)
  }
  const commands = position === 0 ? subcommandsOf(command, group) : []
  const topics = group === root ? (command.topics ?? []) : []
  const offers = [...commands, ...topics]
  const hasAction = group.commands.length === 0 || group.args.length > 0
  if (offers.length > 0 && !hasAction) return completion(offers)
  const argument = command.args[position] ?? command.args.findLast(({ isVariadic }) => isVariadic)
  if (argument === undefined) return completion(isLiteral ? [] : flagsAfter(line))
  return completion(offers, argument)
}

/** Names of files that do not exist yet: `report` and `report.s` become `report.sarif`. */
function newFiles({ extensions = [] }: Value, word: string): string[] {
  const [, name = ''] = /^(.*?[^/.])(\.\w*)?$/.exec(word) ?? []
  return name === '' ? [] : extensions.map(extension => name + extension)
}

interface Offers {
  readonly offers: readonly Candidate[]
  readonly alsoTakes: Completion['alsoTakes']
  /** More is to be typed after each of the offers: no space follows. */
  readonly noSpace: boolean
}

/** Candidates that the word at the cursor may become, without duplicates: offers, and values that were looked up for its source. */
export function candidatesAt(
  { offers, word, prefix, alsoTakes }: Completion,
  otherCandidates: readonly Candidate[] = [],
): Offers {
  const seen = new Set<string>()
  const picked = [...offers, ...otherCandidates]
    .filter(({ value }) => {
      if (!value.startsWith(word) || !isOneLine(value) || seen.has(value)) return false
      seen.add(value)
      return true
    })
    .slice(0, maxOffers)
    .map(({ value, description = '' }) => ({
      value: prefix + value,
      ...(isOneLine(description) ? { description } : {}),
    }))
  const noSpace = picked.length > 0 && picked.every(({ value }) => /[=/]$/.test(value))
  return { offers: picked, alsoTakes, noSpace }
}

/**
 * One offer a line, with a tab before its description, and last `:words`, `:files` or `:folders` for other possible words, with `
 * nospace` if more must be typed after an offer.
 */
export function completionLines({ offers, alsoTakes, noSpace }: Offers): string {
  const lines = offers.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  )
  return [...lines, `:${alsoTakes}${noSpace ? ' nospace' : ''}`, ''].join('\n')
}

type Line = ReturnType<typeof readLine>

function readLine(root: CommandEntry, words: readonly string[]) {
  /** Whose flags and arguments follow. */
  let command = root
  /** Whose subcommands follow: after `help`, those of the command that is looked up. */
  let group = root
  /** Flags that may follow: those of the command before those of its parents. */
  let flags = root.flags
  /** Arguments that are there already. */
  let position = 0
  /** After `--`. */
  let isLiteral = false
  /** The flag whose value is the next word. */
  let pending: FlagEntry | undefined
  const usedFlags: FlagEntry[] = []
  for (const word of words) {
    const open = pending
    pending = undefined
    if (open !== undefined && !isNext(open, word)) continue
    if (!isLiteral && word === '--') isLiteral = true
    else if (!isLiteral && word.length > 1 && word.startsWith('-')) {
      const flag = flagNamed(word.replace(/=.*$/s, ''), flags)
      if (flag === undefined) continue
      usedFlags.push(flag)
      if (flag.takesValue !== undefined && !word.includes('=')) pending = flag
    } else {
      const children = position === 0 ? subcommandsOf(command, group) : []
      const child = children.find(({ value }) => value === word)
      if (child === undefined) position += 1
      else {
        if (!isHelp(child)) group = child
        if (isHelp(command)) continue
        flags = [...child.flags, ...inheritedFlags(flags, child)]
        command = child
      }
    }
  }
  return { command, group, flags, position, isLiteral, pending, usedFlags }
}

/** True if the word follows a flag whose value was omitted. */
function isNext(flag: FlagEntry, word: string): boolean {
  return flag.takesValue === 'optionally' && word.startsWith('-')
}

/** `help` is followed by the names of commands. */
function isHelp(command: CommandEntry): boolean {
  return command.topics !== undefined
}

function subcommandsOf(command: CommandEntry, group: CommandEntry): readonly CommandEntry[] {
  return group.commands.filter(child => !(isHelp(command) && isHelp(child)))
}

/** --version is the root's alone. */
function inheritedFlags(flags: readonly FlagEntry[], child: CommandEntry): readonly FlagEntry[] {
  const own = new Set(child.flags.map(longName))
  return flags.filter(flag => longName(flag) !== '--version' && !own.has(longName(flag)))
}

function longName({ names }: FlagEntry): string | undefined {
  return names.at(-1)
}

function flagNamed(name: string, flags: readonly FlagEntry[]): FlagEntry | undefined {
  return flags.find(({ names }) => names.includes(name))
}

function flagsAfter({ flags, usedFlags }: Line): Candidate[] {
  return flags
    .filter(flag => !usedFlags.includes(flag) || flag.isRepeatable)
    .flatMap(({ names, description }) => names.map(value => ({ value, description })))
}

/** A lockfile may come from a stranger: no name in it reaches a terminal as more than text. */
function isOneLine(text: string): boolean {
  return text !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)
}
