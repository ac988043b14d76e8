import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallwrightError } from '../../../src/lib/error.ts'
import { parseCommandLine } from '../../../src/lib/process/command-line.ts'

const meaning = { flag: '--exec', forShell: 'give --exec-shell too' }
const words = (command: string) => {
  const { file, arguments: rest } = parseCommandLine(command, meaning)
  return [file, ...rest]
}

test.each([
  ['node take.js', ['node', 'take.js']],
  ['  node\ttake.js \n', ['node', 'take.js']],
  [`'/opt/my tools/take' "two words" three\\ words`, ['/opt/my tools/take', 'two words', 'three words']],
  [`jq '.text | length' --arg a "it's"`, ['jq', '.text | length', '--arg', 'a', "it's"]],
  [`take '' ""`, ['take', '', '']],
  [`take "\\$HOME" '$HOME' \\* "*" \\#one a"#"b`, ['take', '$HOME', '$HOME', '*', '*', '#one', 'a#b']],
  ['tunnel --url {url} -p {port}', ['tunnel', '--url', '{url}', '-p', '{port}']],
  ['take --name=value a=b', ['take', '--name=value', 'a=b']],
])('reads %j', (command, expected) => expect(words(command)).toEqual(expected))

test.each([
  'take | jq .',
  'take > file',
  'take && take',
  'take &',
  'take *.json',
  'take file?',
  'take [ab]',
  'take $HOME',
  'take "$HOME"',
  'take ${HOME}',
  'take $(date)',
  'take `date`',
  'take "`date`"',
  'take # all',
  'take ~/file',
  '~/bin/take',
  'NAME=value take',
  'take one\ntake two',
  "take 'open",
  'take "open',
  'take \\',
  'take\u00a0one',
  '',
  '   ',
  "''",
])('refuses %j, and names the way to a shell', command => {
  expect(() => words(command)).toThrow(CallwrightError)
  try {
    words(command)
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('--exec') })
  }
})

test('says what is for a shell and how to ask for one', () => {
  expect(() => words('take | jq .')).toThrow(
    expect.objectContaining({
      message: '--exec: the operator | is for a shell',
      hint: expect.stringContaining('give --exec-shell too'),
    }),
  )
})

test('each line is read as a POSIX shell reads it', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'é',
      '{b}',
      ' ',
      '\t',
      "'",
      '"',
      '\\',
      '#',
      '*',
      '$',
      '|',
      '=',
      '!',
      '~',
      '\n',
      '-',
      '`',
      '%',
      '[',
      ']',
    ],
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }).map(pieces => `x${pieces.join('')}`),
      command => {
        let read: string[]
        try {
          read = words(command)
        } catch (error) {
          expect(error).toBeInstanceOf(CallwrightError)
          return
        }
        // The shell runs printf instead of a program called x….
        const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
        expect(read).toEqual(printed.split('\0').slice(0, -1))
      },
    ),
    { numRuns: 1000 },
  )
})
