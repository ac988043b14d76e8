import { platform as thisPlatform } from 'node:os'
import { parse } from 'shell-quote'
import { CallwrightError } from '../error.ts'

/** A program and what it is given, word by word: nothing reads them a second time. */
export interface CommandLine {
  readonly file: string
  readonly arguments: readonly string[]
}

interface Meaning {
  /** The flag that the command was given with. */
  readonly flag: string
  /** How a shell is asked for, as the end of "for a shell, …". */
  readonly forShell: string
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform | undefined
}

/**
 * Splits a command as it was typed into words; quotes and backslashes as a POSIX shell reads them, on Windows as its
 * programs read them (splitWindowsCommand), and nothing else:
 * there is no shell, so what only a shell would do is refused instead of handed on as text.
 * @throws CallwrightError `usage` for an operator, a pattern, a variable, a comment, a quote that is not closed, an empty one.
 */
export function parseCommandLine(
  text: string,
  { flag, forShell, platform = thisPlatform() }: Meaning,
): CommandLine {
  const command = text.replace(/^[ \t\n]+/, '')
  const split = command.includes('\0')
    ? { refused: 'a command cannot hold a zero byte' }
    : platform === 'win32'
      ? splitWindowsCommand(command)
      : splitPosixCommand(command)
  if ('refused' in split) {
    throw new CallwrightError('usage', `${flag}: ${split.refused}`, {
      hint: `put it into quotes if it is meant as it is; for a shell, ${forShell}`,
    })
  }
  const [file = '', ...words] = split.words
  if (file === '') {
    throw new CallwrightError('usage', `${flag}: the command names no program`, {
      hint: 'give the program and its arguments',
    })
  }
  return { file, arguments: words }
}

function splitPosixCommand(
  command: string,
): { readonly words: readonly string[] } | { readonly refused: string } {
  const refused = findUnread(command)
  if (refused !== undefined) return { refused }
  const words: string[] = []
  for (const entry of parse(command)) {
    if (typeof entry === 'string') words.push(entry)
    // A star behind a backslash, which the library reports as a pattern all the same.
    else if ('pattern' in entry) words.push(entry.pattern)
    else return { refused: 'the command cannot be read' }
  }
  return { words }
}

const operators = '|&;<>()'
const patterns = '*?['

/** What of a command is not words alone, as a sentence; undefined when all is well. */
function findUnread(command: string): string | undefined {
  if (/^[A-Za-z_]\w*=/.test(command)) return 'a variable in front of the command is set by a shell alone'
  let quote = ''
  let wordBegins = true
  const { length } = command.replace(/[ \t\n]+$/, '')
  for (let index = 0; index < length || quote !== ''; index++) {
    const character = command[index]
    if (character === undefined) return `a quote ${quote} is not closed`
    if (quote === "'") {
      if (character === "'") quote = ''
      continue
    }
    if (character === '\\') {
      const next = command[++index]
      if (next === undefined) return 'a backslash stands at the end'
      if (isRareSpace(next) && quote === '') return 'a line that goes on after a backslash is for a shell'
      if (quote === '"' && (next === '`' || next === '\n')) return `${shown(`\\${next}`)} is for a shell`
    } else if (character === '$') {
      return '$ begins a variable, which is for a shell'
    } else if (character === '`') {
      return '` is for a shell'
    } else if (quote === '"') {
      if (character === '"') quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
    } else if (operators.includes(character)) {
      return `the operator ${character} is for a shell`
    } else if (patterns.includes(character)) {
      return `${character} begins a pattern, which is for a shell`
    } else if (character === '#') {
      return '# begins a comment for a shell'
    } else if (character === '~' && wordBegins) {
      return '~ stands for a folder to a shell alone'
    } else if (isRareSpace(character)) {
      return 'a command is one line of words with spaces between them'
    }
    wordBegins = quote === '' && (character === ' ' || character === '\t')
  }
  return undefined
}

/** White space that a shell does not split at, or that ends a command. */
function isRareSpace(character: string): boolean {
  return /\s/.test(character) && character !== ' ' && character !== '\t'
}

function shown(text: string): string {
  return text.replace('\n', '(line end)')
}

/** The words of a command, or why it cannot be read, as a sentence. */
type WindowsWords = { readonly words: readonly string[] } | { readonly refused: string }

/**
 * Splits a command as Windows programs split their own command line: at spaces and tabs, double quotes hold a word
 * together, and a backslash is a plain character unless it stands before a double quote. There is no shell, so what only
 * cmd.exe would do is refused instead of handed on as text.
 */
function splitWindowsCommand(command: string): WindowsWords {
  const words: string[] = []
  let word = ''
  let begun = false
  let quoted = false
  for (let index = 0; index < command.length; index++) {
    const character = command[index] ?? ''
    if (character === '\\') {
      const end = endOfBackslashes(command, index)
      const count = end - index
      const beforeQuote = command[end] === '"'
      word += '\\'.repeat(beforeQuote ? Math.floor(count / 2) : count)
      begun = true
      index = end - 1
      if (beforeQuote && count % 2 === 1) {
        word += '"'
        index = end
      }
    } else if (character === '"') {
      begun = true
      // Two of them inside of quotes are one that is meant.
      if (quoted && command[index + 1] === '"') {
        word += '"'
        index++
      } else quoted = !quoted
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (begun) words.push(word)
      word = ''
      begun = false
    } else {
      const refused = quoted ? undefined : unread(character)
      if (refused !== undefined) return { refused }
      word += character
      begun = true
    }
  }
  if (quoted) return { refused: 'a quote " is not closed' }
  if (begun) words.push(word)
  const variable = words.find(each => /%[A-Za-z_]\w*%/.test(each))
  if (variable !== undefined) return { refused: `${variable} names a variable, which is for a shell` }
  return { words }
}

function unread(character: string): string | undefined {
  if ('|&<>^'.includes(character)) return `the operator ${character} is for a shell`
  return /\s/.test(character) ? 'a command is one line of words with spaces between them' : undefined
}

function endOfBackslashes(text: string, start: number): number {
  let end = start
  while (text[end] === '\\') end++
  return end
}
