import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/lib/process/command-line.ts'

const meaning = { flag: '--exec', forShell: 'give --exec-shell too', platform: 'win32' } as const
const words = (command: string) => {
  const { file, arguments: rest } = parseCommandLine(command, meaning)
  return [file, ...rest]
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
  ['take | more', 'the operator | is for a shell'],
  ['take > file', 'the operator > is for a shell'],
  ['take & take', 'the operator & is for a shell'],
  ['take ^x', 'the operator ^ is for a shell'],
  ['take %USERPROFILE%\\x', '%USERPROFILE%\\x names a variable, which is for a shell'],
  ['take "%USERPROFILE%"', '%USERPROFILE% names a variable, which is for a shell'],
  ['take "open', 'a quote " is not closed'],
  ['take one\ntake two', 'a command is one line of words with spaces between them'],
  ['take \0', 'a command cannot hold a zero byte'],
  ['', 'the command names no program'],
  ['""', 'the command names no program'],
])('refuses %j', (command, message) => {
  expect(() => words(command)).toThrow(
    expect.objectContaining({ kind: 'usage', message: `--exec: ${message}` }),
  )
})

test('on other platforms a backslash still quotes', () => {
  const { file, arguments: rest } = parseCommandLine('take a\\ b', { ...meaning, platform: 'linux' })
  expect([file, ...rest]).toEqual(['take', 'a b'])
})

/** One word as a Windows program has to be given it: the rules of the C runtime, the other way round. */
function quoted(word: string): string {
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

test('reads every word as it was quoted', () => {
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
