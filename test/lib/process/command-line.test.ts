import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/lib/process/command-line.ts'
import { runs } from '../../helpers/every-case.ts'

/** The words of a command, or why it has none. */
const words = (command: string) => {
  const read = parseCommandLine(command)
  return 'problem' in read ? read.problem : [read.file, ...read.arguments]
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
  ['take | jq .', 'operator', '|'],
  ['take > file', 'operator', '>'],
  ['take && take', 'operator', '&'],
  ['take &', 'operator', '&'],
  ['take *.json', 'pattern', '*'],
  ['take file?', 'pattern', '?'],
  ['take [ab]', 'pattern', '['],
  ['take $HOME', 'variable', '$'],
  ['take "$HOME"', 'variable', '$'],
  ['take ${HOME}', 'variable', '$'],
  ['take $(date)', 'variable', '$'],
  ['take `date`', 'substitution', undefined],
  ['take "`date`"', 'substitution', undefined],
  ['take "\\`"', 'escape', '\\`'],
  ['take one\\\ntwo', 'line-goes-on', undefined],
  ['take # all', 'comment', undefined],
  ['take ~/file', 'home', undefined],
  ['~/bin/take', 'home', undefined],
  ['NAME=value take', 'assignment', undefined],
  ['take one\ntake two', 'several-lines', undefined],
  ["take 'open", 'open-quote', "'"],
  ['take "open', 'open-quote', '"'],
  ['take \\', 'backslash-at-end', undefined],
  ['take\u00a0one', 'several-lines', undefined],
  ['take \0', 'zero-byte', undefined],
  ['', 'no-program', undefined],
  ['   ', 'no-program', undefined],
  ["''", 'no-program', undefined],
])('refuses %j: %s', (command, code, text) => {
  expect(words(command)).toEqual(text === undefined ? { code } : { code, text })
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
        const read = words(command)
        if (!Array.isArray(read)) return
        // The shell runs printf instead of a program called x….
        const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
        expect(read).toEqual(printed.split('\0').slice(0, -1))
      },
    ),
    { numRuns: runs(300) },
  )
})
