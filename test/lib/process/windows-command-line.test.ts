import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/lib/process/command-line.ts'

/** The words of a command, or why it has none. */
const words = (command: string, platform: NodeJS.Platform = 'win32') => {
  const read = parseCommandLine(command, platform)
  return 'problem' in read ? read.problem : [read.file, ...read.arguments]
}

test.each([
  ['C:\\tools\\take.exe .\\calls\\one.json', ['C:\\tools\\take.exe', '.\\calls\\one.json']],
  ['"C:\\Program Files\\node\\node.exe"  take.js', ['C:\\Program Files\\node\\node.exe', 'take.js']],
  ['\\\\server\\share\\take.exe\t-x', ['\\\\server\\share\\take.exe', '-x']],
  ['take "a \\"b\\" c" "d\\\\" e\\\\\\"f', ['take', 'a "b" c', 'd\\', 'e\\"f']],
  ['take "a""b" ""', ['take', 'a"b', '']],
  [
    `take it's $HOME *.json ~ # (x) ; http://127.0.0.1/a%20b%20c`,
    ['take', "it's", '$HOME', '*.json', '~', '#', '(x)', ';', 'http://127.0.0.1/a%20b%20c'],
  ],
  ['tunnel --url {url} --name="my tunnel"', ['tunnel', '--url', '{url}', '--name=my tunnel']],
  ['take "a | b"', ['take', 'a | b']],
])('reads %j', (command, expected) => expect(words(command)).toEqual(expected))

test.each([
  ['take | more', 'operator', '|'],
  ['take > file', 'operator', '>'],
  ['take & take', 'operator', '&'],
  ['take ^x', 'operator', '^'],
  ['take %USERPROFILE%\\x', 'variable', '%USERPROFILE%\\x'],
  ['take "%USERPROFILE%"', 'variable', '%USERPROFILE%'],
  ['take "open', 'open-quote', '"'],
  ['take one\ntake two', 'several-lines', undefined],
  ['take \0', 'zero-byte', undefined],
  ['', 'no-program', undefined],
  ['""', 'no-program', undefined],
])('refuses %j: %s', (command, code, text) => {
  expect(words(command)).toEqual(text === undefined ? { code } : { code, text })
})

test('on other platforms a backslash still quotes', () => {
  expect(words('take a\\ b', 'linux')).toEqual(['take', 'a b'])
})

/** One word as a Windows program has to be given it: the rules of the C runtime, the other way round. */
function quoted(word: string): string {
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

test('reads every word as quoted', () => {
  const piece = fc.constantFrom('a', 'é', ' ', '\t', '"', '\\', "'", '|', '%', '^', '&', '=')
  const word = fc.array(piece, { minLength: 1, maxLength: 10 }).map(pieces => pieces.join(''))
  const plain = word.filter(text => !/%[A-Za-z_]\w*%/.test(text))
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 4 }), all => {
      expect(words(all.map(quoted).join(' '))).toEqual(all)
    }),
    { numRuns: 1000 },
  )
})
