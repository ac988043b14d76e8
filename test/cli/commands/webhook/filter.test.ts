import { Command } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { openFilter, warnUnmatched } from '../../../../src/cli/commands/webhook/open-filter.ts'
import { type TailFlags, withTailFlags } from '../../../../src/cli/commands/webhook/tail-flags.ts'
import { createFilter } from '../../../../src/events/receive/index.ts'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { recordedLine } from '../../../helpers/recordings.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { testContext } from '../../../helpers/test-context.ts'

const recording = [
  statusUpdate('c1', 'queued'),
  conversationUpdate('c1', message('m1', 'Hello', 'assistant')),
  statusUpdate('c2', 'queued'),
  conversationUpdate('c1', message('m1', 'Hello', 'assistant'), message('m2', 'Hi')),
  statusUpdate('c1', 'finished', { analysis: { summary: 'done' } }),
]
  .map((body, seconds) => recordedLine(body, { seconds }))
  .join('')

test.each([
  [['--role', 'user'], '── c1\nuser       Hi\n'],
  [['--role', 'user', '--role', 'assistant'], '── c1\nassistant  Hello\nuser       Hi\n'],
  [['--status', 'finished'], '── c1 · finished\n   summary    done\n'],
  [
    ['--role', 'user', '--status', 'finished'],
    '── c1\nuser       Hi\n── c1 · finished\n   summary    done\n',
  ],
  [['--call', 'c1', '--call', 'c2', '--status', 'queued'], '── c1 · queued\n── c2 · queued\n'],
])('replay with %j shows that much, and counts all', async (flags, stdout) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)
  expect(result).toMatchObject({ exitCode: 0, stdout })
  expect(result.stderr).toBe('2 calls (1 finished), 2 messages\n')
})

test('--json shows no more, and the summary of all', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stdout } = await cli.run('webhook', 'replay', 'calls.ndjson', '--json', '--role', 'user')
  const lines = jsonLines(stdout)
  expect(lines).toMatchObject([
    { kind: 'message', role: 'user' },
    { kind: 'summary', events: 5, messages: 2 },
  ])
})

test('a status that never came is reported with those that did', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', '--status', 'ongoing')
  expect(result).toMatchObject({ exitCode: 0, stdout: '' })
  expect(result.stderr).toContain('warning: no status ongoing came\n  statuses seen: queued, finished\n')
})

test.each([
  [['--call', ''], 'empty'],
  [['--to', 'http://127.0.0.1:9/', '--role', 'user'], '--role and --to cannot be used together'],
])('%j is wrong usage', async (flags, said) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(said)
})

test.each([
  [['--role', 'assistent'], 'did you mean assistant?'],
  [['--status', 'finshed'], 'did you mean finished?'],
])('%j is taken, with what was probably meant', async (flags, said) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)
  expect(result).toMatchObject({ exitCode: 0, stdout: '' })
  expect(result.stderr).toContain(said)
})

test('each printed word can be looked up', async () => {
  const odd = [
    statusUpdate('c1', 'Completed'),
    conversationUpdate(
      'c1',
      { messageId: 'm1', role: 'tool', text: 'A-17' },
      { messageId: 'm2', text: 'no role' },
    ),
    { message: { type: 'end-of-call-report', call: { id: 'c1' }, analysis: { summary: 'done' } } },
  ].map(body => recordedLine(body))
  const cli = await testCli({ 'calls.ndjson': odd.join('') })
  const shown = async (...flags: string[]) =>
    (await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)).stdout
  expect(await shown('--role', 'tool')).toBe('── c1\ntool       A-17\n')
  expect(await shown('--role', 'unknown')).toBe('── c1\nunknown    no role\n')
  expect(await shown('--status', 'Completed')).toBe(
    '── c1 · Completed\n── c1 · Completed\n   summary    done\n',
  )
  expect(await shown('--type', 'end-of-call-report')).toBe('── c1 · finished\n   summary    done\n')
})

test('all four flags can be given several times', () => {
  expect(
    parse(
      ...['--call', 'c1', '--call', 'c2', '--type', 'a', '--type', 'b'],
      ...['--role', 'user', '--role', 'assistant', '--status', 'queued', '--status', 'finished'],
    ),
  ).toMatchObject({
    call: ['c1', 'c2'],
    type: ['a', 'b'],
    role: ['user', 'assistant'],
    status: ['queued', 'finished'],
  })
  const { call, type, role, status } = parse()
  expect([call, type, role, status].every(each => each === undefined)).toBe(true)
})

test('a near miss of a type is warned about at once, a call that never came at the end', () => {
  const warnings: unknown[] = []
  const output = { ...testContext().output, warn: (...warning: unknown[]) => void warnings.push(warning) }
  const filter = openFilter({ type: ['status-updat'], call: ['c132'] }, output)
  expect(warnings).toEqual([[expect.stringContaining('status-updat'), 'did you mean status-update?']])
  filter.admits({ kind: 'status', callId: 'c123', status: 'queued' })
  warnings.length = 0
  warnUnmatched(filter, output)
  expect(warnings).toEqual([
    ['no event of call c132 came', 'did you mean c123?'],
    ['no event of type status-updat came', 'did you mean status-update?'],
  ])
})

test.each<[Partial<TailFlags>, string, string | undefined]>([
  [{ call: ['other'] }, 'no event of call other came', 'calls seen: c123'],
  [{ type: ['x'] }, 'no event of type x came', 'types seen: status-update'],
  [{ status: ['ongoing'] }, 'no status ongoing came', 'statuses seen: queued'],
  [{ type: ['status-update'], role: ['user'] }, 'no message of role user came', undefined],
])('describes %o without a match', (flags, message, hint) => {
  const warnings: unknown[] = []
  const output = { ...testContext().output, warn: (...warning: unknown[]) => void warnings.push(warning) }
  const filter = openFilter(flags, output)
  filter.admits({ kind: 'status', callId: 'c123', status: 'queued' })
  warnUnmatched(filter, output)
  expect(warnings).toEqual([[message, hint]])
})

function parse(...argv: string[]): TailFlags {
  return withTailFlags(new Command().exitOverride()).parse(argv, { from: 'user' }).opts()
}

test('a call without id is asked for by its number', async () => {
  const said = (text: string) => [
    { messageId: 'a', role: 'assistant', text: 'Hello.' },
    { messageId: 'u', role: 'user', text },
  ]
  const two = ['How much is a tyre?', 'When are you open?'].map(text =>
    conversationUpdate(undefined, ...said(text)),
  )
  const cli = await testCli({ 'calls.ndjson': two.map(body => recordedLine(body)).join('') })
  const shown = async (...flags: string[]) =>
    (await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)).stdout.match(/How much|When/g)
  expect(await shown('--call', '-')).toEqual(['How much', 'When'])
  expect(await shown('--call', '-2')).toEqual(['When'])
  expect(await shown('--call', '-1')).toEqual(['How much'])
  const filter = createFilter({ calls: ['-2'] })
  expect(
    [1, 2].map(conversation =>
      filter.admits({ kind: 'event', type: 't', callId: null, conversation, event: {} }),
    ),
  ).toEqual([false, true])
})
