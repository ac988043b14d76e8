import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatLine } from '../../../../src/cli/commands/scenario/show-run.ts'
import { parseCallerLine } from '../../../../src/files/formats/caller-script.ts'
import type { ObservedCall, TestCase } from '../../../../src/scenario/index.ts'
import { runs } from '../../../helpers/every-case.ts'
import { madeResult, madeTest, madeTurn } from '../../../scenario/made-results.ts'

const file = () => 'assistants/front-desk.yaml'

function callOf(...lines: string[]): ObservedCall {
  const turns = [madeTurn(undefined, 'Hello'), ...lines.map(line => madeTurn(line, 'Yes'))]
  const [attempt] = madeResult(turns).attempts
  if (attempt === undefined) throw new Error('it has an attempt')
  return attempt.call
}

const flags = {
  llmUrl: 'http://127.0.0.1:11434/v1?a=b c',
  llmModel: 'small',
  judgeUrl: 'http://127.0.0.1:1/v1',
  judgeModel: "judge's",
}
const row = { file: 'tests/rows.csv', path: [1], position: undefined }
const spoken = ['When are you open?', "/interrupt It's late", 'Bye']

test.each<[string, Partial<TestCase>, readonly string[], number | undefined, string | undefined]>([
  [
    'the lines up to the turn, the file of the assistant, and the variables',
    { variables: { name: 'Ada L.' } },
    spoken,
    2,
    String.raw`printf '%s\n' 'When are you open?' '/interrupt It'\''s late' | callyard call chat assistants/front-desk.yaml --var 'name=Ada L.'`,
  ],
  [
    'all lines, and the day',
    { at: Date.UTC(2026, 4, 1) },
    ['Hi', 'Bye'],
    undefined,
    String.raw`printf '%s\n' Hi Bye | callyard call chat assistants/front-desk.yaml --at 2026-05-01T00:00:00.000Z`,
  ],
  [
    'a hang-up if the caller has not spoken',
    {},
    [],
    0,
    String.raw`printf '%s\n' /hangup | callyard call chat assistants/front-desk.yaml`,
  ],
  [
    'the test if it has a model, because another model would reply in a chat',
    { model: 'recorded', file: 'tests/it is.test.yaml' },
    ['Bye'],
    1,
    String.raw`callyard test 'tests/it is.test.yaml' --llm-url 'http://127.0.0.1:11434/v1?a=b c' --llm-model small --judge-url http://127.0.0.1:1/v1 --judge-model 'judge'\''s'`,
  ],
  [
    'a row by its id',
    { model: 'live', file: 'tests/a.test.yaml', id: 'a[2]', row },
    ['Bye'],
    1,
    String.raw`callyard test tests/a.test.yaml -t 'a[2]' --llm-url 'http://127.0.0.1:11434/v1?a=b c' --llm-model small --judge-url http://127.0.0.1:1/v1 --judge-model 'judge'\''s'`,
  ],
  ['nothing for lines that no person pastes', {}, ['x'.repeat(1_000_000)], 1, undefined],
])('repeats %s', (_, own, lines, turn, command) => {
  expect(repeatLine(madeTest(own), callOf(...lines), turn, file, flags)).toBe(command)
})

test('bash passes the exact words, and files with the test’s own texts', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map(text => text.trim().replaceAll('\0', ''))
  const line = word.filter(text => text !== '' && 'turn' in parseCallerLine(text))
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), word, (lines, value) => {
      const own: Partial<TestCase> = {
        assistant: { inline: { name: value } },
        variables: { name: value },
        overrides: { welcomeMessage: value },
      }
      const command = repeatLine(madeTest(own), callOf(...lines), undefined, file, {})
      const [input, args] = heard(command ?? '')
      expect(input).toBe(`${lines.join('\n')}\n`)
      expect(args).toEqual([
        'call',
        'chat',
        JSON.stringify(own.assistant && 'inline' in own.assistant ? own.assistant.inline : ''),
        '--var',
        `name=${value}`,
        '--overrides',
        JSON.stringify(own.overrides),
      ])
    }),
    { numRuns: runs(40) },
  )
})

/** Input and arguments of a program called `callyard`, with the content of arguments that are files of the shell. */
function heard(command: string): [string, string[]] {
  const program = `callyard() { cat; printf '\\0'; for each in "$@"; do case "$each" in /dev/fd/*) cat "$each";; *) printf %s "$each";; esac; printf '\\0'; done; }`
  const output = execFileSync('bash', ['--norc', '-c', `${program}\n${command}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH },
  })
  const [input = '', ...args] = output.split('\0')
  return [input, args.slice(0, -1)]
}
