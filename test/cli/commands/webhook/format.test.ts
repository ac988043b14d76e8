import { expect, test } from 'vitest'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { recordedLine } from '../../../helpers/recordings.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const long = 'One moment, I look into the book of this week and the next, to see when there is room.'
const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString()
const recording = [
  recordedLine(statusUpdate('c1', 'queued')),
  recordedLine(conversationUpdate('c1', { ...message('m1', long, 'assistant'), timestamp: at(62) }), {
    seconds: 70,
  }),
  recordedLine(
    conversationUpdate(
      'c1',
      { ...message('m1', long, 'assistant'), timestamp: at(62) },
      { ...message('m2', 'Thanks\n日本', 'user'), timestamp: 'later' },
    ),
    { seconds: 3700 },
  ),
].join('')

test('--timestamps relative counts from the first recorded event of the call', async () => {
  expect(await replay('--timestamps', 'relative')).toBe(
    [
      '+0:00    ── c1 · queued',
      '+1:02    assistant  One moment, I look into the book of this week and the next,',
      '                    to see when there is room.',
      '+1:01:40 user       Thanks',
      '                    日本',
      '',
    ].join('\n'),
  )
})

test('--timestamps iso has the time of the message, else of its arrival when it was recorded', async () => {
  const lines = (await replay('--timestamps', 'iso', '--compact')).split('\n')
  expect(lines).toEqual([
    '2026-03-01T10:00:00.000Z ── c1 · queued',
    '2026-03-01T10:01:02.000Z assistant  One moment, I look into the book of this we…',
    '2026-03-01T11:01:40.000Z user       Thanks ↵ 日本',
    '',
  ])
})

test('--timestamps local and none', async () => {
  const hours = String(new Date(Date.UTC(2026, 2, 1, 10)).getHours()).padStart(2, '0')
  expect(await replay('--timestamps', 'local')).toMatch(new RegExp(`^${hours}:\\d\\d:00 ── c1`))
  expect(await replay('--timestamps', 'none')).toBe(await replay())
})

test('relative counts from an event that a filter does not show', async () => {
  expect(await replay('--timestamps', 'relative', '--role', 'user', '--compact')).toBe(
    '         ── c1\n+1:01:40 user       Thanks ↵ 日本\n',
  )
})

test('--json is the same with and without', async () => {
  expect(await replay('--json', '--compact', '--timestamps', 'relative')).toBe(await replay('--json'))
})

test.each([
  [['--timestamps', 'realtive'], 'did you mean relative?'],
  [['--timestamps', 'unix'], 'use one of relative, local, iso, none'],
  [['--compact', '--to', 'http://127.0.0.1:9/'], '--compact and --to cannot be used together'],
  [['--timestamps', 'iso', '--to', 'http://127.0.0.1:9/'], '--timestamps and --to cannot be used together'],
])('%j is wrong usage', async (flags, said) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(said)
})

async function replay(...flags: string[]): Promise<string> {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { exitCode, stdout } = await cli.run('webhook', 'replay', 'calls.ndjson', ...flags)
  expect(exitCode).toBe(0)
  return stdout
}
