import { stripVTControlCharacters } from 'node:util'
import { lazy } from '../../../lib/lazy.ts'
import { clustersOf, shownWidth } from '../../../lib/text/layout.ts'
import { unbrokenSpace } from '../../../lib/text/text.ts'
import { pathPattern } from './own-commands.ts'

/**
 * Returns a function that wraps each line of painted text that exceeds the terminal: at spaces with a hanging indent, or below the text
 * after a label. Never breaks commands, paths and URLs: a long one starts a line and may exceed it.
 * @param commandPaths paths of the commands, such as `call start`
 */
export function createWrap(
  commandPaths: readonly string[] = [],
): (painted: string, columns: number) => string {
  const commands = lazy(() => commandLines(commandPaths))
  return (painted, columns) => {
    const rows = painted
      .split('\n')
      .flatMap(line => (widthOf(line) > columns ? wrapLine(line, commands(), columns) : line))
    return rows.join('\n').replaceAll(unbrokenSpace, ' ')
  }
}

function wrapLine(line: string, commands: RegExp, columns: number): string[] {
  const [margin = ''] = /^(?:\u001b\[\d+m| )*/.exec(line) ?? []
  // A deep indent leaves no room for words on a narrow terminal.
  const isDeep = widthOf(margin) > columns / 2
  const lead = isDeep ? margin.replaceAll(' ', '') + ' '.repeat(columns >> 2) : margin
  const words = line.slice(margin.length).replace(commands, command => command.replaceAll(' ', unbrokenSpace))
  const indent = ' '.repeat(columnBehindLabel(lead + words, columns) ?? widthOf(lead) + 2)
  const rows: string[] = []
  let row = lead
  let width = widthOf(lead)
  let isEmpty = true
  // Several spaces may separate columns.
  for (const [spaces, word] of separate(words)) {
    const needed = widthOf(spaces) + widthOf(word)
    if (isEmpty || width + needed <= columns) {
      row += isEmpty ? word : spaces + word
      width += isEmpty ? widthOf(word) : needed
    } else {
      rows.push(row)
      row = indent + word
      width = indent.length + widthOf(word)
    }
    isEmpty = false
  }
  return [...rows, row]
}

/** Column of the text behind a label and two or more spaces, if every word of it fits there. */
function columnBehindLabel(line: string, columns: number): number | undefined {
  const plainLine = stripVTControlCharacters(line)
  const [label] = /^ *\S+(?: \S+)* {2,}/.exec(plainLine) ?? []
  if (label === undefined) return undefined
  const column = widthOf(label)
  const fits = separate(plainLine.slice(label.length)).every(([, word]) => column + widthOf(word) <= columns)
  return column <= columns / 2 && fits ? column : undefined
}

/** Splits a text into the parts that stay whole, each with the spaces in front of it. */
function separate(text: string): [spaces: string, word: string][] {
  const words = Array.from(text.matchAll(/( *)([^ ]+)/g), ([, spaces = '', word = '']) => ({ spaces, word }))
  return words.flatMap(({ spaces, word }) =>
    isUnspaced(word)
      ? charactersOf(word).map((character, index) => [index === 0 ? spaces : '', character])
      : [[spaces, word]],
  )
}

/** True for a word of wide characters, whose scripts put no spaces between words. False for paths and URLs, which stay whole. */
function isUnspaced(word: string): boolean {
  const plainWord = stripVTControlCharacters(word)
  return widthOf(plainWord) > plainWord.length && !/[/\\\u001f]/.test(plainWord)
}

/** Splits a word into its characters, each with the colors in front of it. */
function charactersOf(word: string): string[] {
  const characters: string[] = []
  let codes = ''
  for (const part of word.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) codes += part
    else
      for (const character of clustersOf(part)) {
        characters.push(codes + character)
        codes = ''
      }
  }
  return codes === '' ? characters : [...characters, codes]
}

function widthOf(text: string): number {
  return shownWidth(stripVTControlCharacters(text).replaceAll(unbrokenSpace, ' '))
}

/** Parts of a command line after the path of the command that words of the sentence around it are not. */
const parts = [
  '(?<=help )[a-z-]+',
  // Bounded: each of many that never end would be read to the end of the text.
  String.raw`"[^"]{0,500}"|'[^']{0,500}'|<[^>]{0,500}>|\[[^\]]{0,500}\]`,
  String.raw`> [^\s,;)]+`,
  // Another command follows two hyphens.
  '-- [^,;]+',
  // Flags, and what holds more than letters: paths, ids, numbers.
  String.raw`-[^\s,;)]*`,
  String.raw`[^\s,;)]*[\d./=@\u2026][^\s,;)]*`,
  // A name, unless the next part or the end of the sentence shows otherwise.
  String.raw`[\w-]+(?=[,;:)?\u001b]| [->]|$)`,
]

function commandLines(paths: readonly string[]): RegExp {
  const programPattern = String.raw`(?<=^|[^\w./-]|\u001b\[\d+m)(?:npx |(?:node )?(?:'[^']{0,500}/|[^\s']{0,500}/))?callyard(?:\.js)?'?`
  const gitPattern = String.raw`(?<![\w./-])git checkout \S+ -- [^,;]+`
  return new RegExp(
    `${programPattern}(?: (?:${[pathPattern(paths), ...parts].join('|')}))+|${gitPattern}`,
    'g',
  )
}
