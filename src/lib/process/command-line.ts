import { platform as thisPlatform } from 'node:os'
import { parse } from 'shell-quote'

/** A program and its arguments as words, which are not parsed again. */
export interface CommandLine {
  readonly file: string
  readonly arguments: readonly string[]
}

/** Reason that a text cannot be run without a shell; `text` is the relevant part. */
export interface CommandProblem {
  readonly code:
    | 'assignment'
    | 'backslash-at-end'
    | 'comment'
    | 'escape'
    | 'home'
    | 'line-goes-on'
    | 'no-program'
    | 'open-quote'
    | 'operator'
    | 'pattern'
    | 'several-lines'
    | 'substitution'
    | 'unreadable'
    | 'variable'
    | 'zero-byte'
  readonly text?: string
}

interface Refused {
  readonly problem: CommandProblem
}

/**
 * Splits a typed command into words, with quotes and backslashes as in a POSIX shell, or on Windows as in its programs
 * (splitWindowsCommand). No shell runs, so syntax that needs one is rejected instead of passed as text.
 */
export function parseCommandLine(
  text: string,
  platform: NodeJS.Platform = thisPlatform(),
): CommandLine | Refused {
  const command = text.replace(/^[ \t\n]+/, '')
  if (command.includes('\0')) return toProblem('zero-byte')
  const split = platform === 'win32' ? splitWindowsCommand(command) : splitPosixCommand(command)
  if ('problem' in split) return split
  const [file = '', ...words] = split.words
  return file === '' ? toProblem('no-program') : { file, arguments: words }
}

function toProblem(code: CommandProblem['code'], text?: string): Refused {
  return { problem: text === undefined ? { code } : { code, text } }
}

interface Words {
  readonly words: readonly string[]
}

function splitPosixCommand(command: string): Words | Refused {
  const unread = findUnread(command)
  if (unread !== undefined) return unread
  const words: string[] = []
  for (const entry of parse(command)) {
    if (typeof entry === 'string') words.push(entry)
    // A star behind a backslash, which the library reports as a pattern anyway.
    else if ('pattern' in entry) words.push(entry.pattern)
    else return toProblem('unreadable')
  }
  return { words }
}

const operators = '|&;<>()'
const patterns = '*?['

/** Finds the part of a command that needs a shell; undefined if there is none. */
function findUnread(command: string): Refused | undefined {
  if (/^[A-Za-z_]\w*=/.test(command)) return toProblem('assignment')
  let quote = ''
  let wordBegins = true
  const { length } = command.replace(/[ \t\n]+$/, '')
  for (let index = 0; index < length || quote !== ''; index++) {
    const character = command[index]
    if (character === undefined) return toProblem('open-quote', quote)
    if (quote === "'") {
      if (character === "'") quote = ''
      continue
    }
    if (character === '\\') {
      const next = command[++index]
      if (next === undefined) return toProblem('backslash-at-end')
      if (isRareSpace(next) && quote === '') return toProblem('line-goes-on')
      if (quote === '"' && (next === '`' || next === '\n')) return toProblem('escape', `\\${next}`)
    } else if (character === '$') {
      return toProblem('variable', '$')
    } else if (character === '`') {
      return toProblem('substitution')
    } else if (quote === '"') {
      if (character === '"') quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
    } else if (operators.includes(character)) {
      return toProblem('operator', character)
    } else if (patterns.includes(character)) {
      return toProblem('pattern', character)
    } else if (character === '#') {
      return toProblem('comment')
    } else if (character === '~' && wordBegins) {
      return toProblem('home')
    } else if (isRareSpace(character)) {
      return toProblem('several-lines')
    }
    wordBegins = quote === '' && (character === ' ' || character === '\t')
  }
  return undefined
}

/** White space that a shell does not split at, or that ends a command. */
function isRareSpace(character: string): boolean {
  return /\s/.test(character) && character !== ' ' && character !== '\t'
}

/**
 * Splits a command like Windows programs split their command line: at spaces and tabs, with double quotes around words, and backslashes
 * as plain characters except before a double quote. No shell runs, so syntax of cmd.exe is rejected instead of passed as text.
 */
function splitWindowsCommand(command: string): Words | Refused {
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
      // Two inside quotes are one literal quote.
      if (quoted && command[index + 1] === '"') {
        word += '"'
        index++
      } else quoted = !quoted
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (begun) words.push(word)
      word = ''
      begun = false
    } else {
      if (!quoted && '|&<>^'.includes(character)) return toProblem('operator', character)
      if (!quoted && /\s/.test(character)) return toProblem('several-lines')
      word += character
      begun = true
    }
  }
  if (quoted) return toProblem('open-quote', '"')
  if (begun) words.push(word)
  const variable = words.find(each => /%[A-Za-z_]\w*%/.test(each))
  return variable === undefined ? { words } : toProblem('variable', variable)
}

function endOfBackslashes(text: string, start: number): number {
  let end = start
  while (text[end] === '\\') end++
  return end
}
