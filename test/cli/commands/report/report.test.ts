import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { metricNames } from '../../../../src/calls/report/metrics.ts'
import { madeRecording, slowReply } from '../../../calls/report/made-recording.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const recording = madeRecording(
  {},
  { messages: slowReply, success: 'fail', assistant: 'Night desk' },
  { end: 'busy', messages: [], from: '+12025550101' },
)

test('prints figures, the slowest replies and the calls to review with their commands', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stdout, exitCode } = await cli.run('report', 'calls.ndjson')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('3 calls\ncalls.ndjson')
  expect(stdout).toContain('Times are based on messages, not audio')
  expect(stdout).toMatch(/answered +\S+ +2 +67% +21%–94%/)
  expect(stdout).toMatch(/Reply +2 +1\.1s +7\.0s +7\.0s/)
  expect(stdout).toMatch(/7\.0s {2}reply at 0:10 in CC-2, after “Where is the workshop\?”\n/)
  expect(stdout).toContain('callyard webhook show calls.ndjson --call CC-2')
  expect(stdout).toMatch(/CC-2 {2}not successful, question unanswered/)
  expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
})

test('names UTC as the time zone of a TZ that is not known', async () => {
  vi.stubEnv('TZ', 'Mars/Olympus')
  onTestFinished(() => void vi.unstubAllEnvs())
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stdout } = await cli.run('report', 'calls.ndjson')
  expect(stdout.split('\n')[1]).toMatch(/^calls\.ndjson .* UTC$/)
  const { timeZone } = JSON.parse((await cli.run('report', 'calls.ndjson', '--json')).stdout)
  expect(timeZone).toBe('UTC')
})

test('the commands that it prints show the call', async () => {
  const cli = await testCli({ 'my calls.ndjson': recording })
  const { stdout } = await cli.run('report', 'my calls.ndjson')
  expect(stdout).toContain("callyard webhook show 'my calls.ndjson' --call CC-2")
  const shown = await cli.run('webhook', 'show', 'my calls.ndjson', '--call', 'CC-2')
  expect(shown.stdout).toContain('Where is the workshop?')
})

test('--json prints figures by metric and group, and the slowest replies', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stdout } = await cli.run('report', 'calls.ndjson', '--json', '--by', 'assistant')
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    sources: [{ kind: 'recording', name: 'calls.ndjson' }],
    times: 'messages',
    calls: 3,
    metrics: {
      reply: { kind: 'values', unit: 'ms', count: 2, p50: 1067, p95: 7000 },
      success: { kind: 'share', count: 1, of: 2 },
      outcome: { kind: 'words', of: 3, words: [{ word: 'answered', count: 2 }, { word: 'busy' }] },
      'data.persons': { kind: 'values', p50: 2 },
    },
    by: 'assistant',
    groups: [
      { name: 'Front desk', calls: 2 },
      { name: 'Night desk', calls: 1 },
    ],
    slowest: [{ call: 'CC-2', ms: 7000, after: 'Where is the workshop?' }, { call: 'CC-1' }],
    unanswered: [{ question: 'Where is the workshop?', count: 1, calls: ['CC-2'] }],
  })
  expect(stdout).toBe((await cli.run('report', 'calls.ndjson', '--json', '--by', 'assistant')).stdout)
})

test('--format csv has a row for each call, without formulas', async () => {
  const cli = await testCli({
    'calls.ndjson': madeRecording(
      { assistant: '=1+1', data: { topic: '@SUM(A1)' } },
      { data: { wants: ['a', 'b'] } },
    ),
  })
  const { stdout } = await cli.run('report', 'calls.ndjson', '--format', 'csv')
  const [head = '', first = '', second = ''] = stdout.split('\n')
  expect(head).toMatch(/^call,at,assistant,.*,data\.topic,data\.wants$/)
  expect(first).toMatch(/^CC-1,2026-03-01T10:00:00\.000Z,'=1\+1,\+12025550100,.*,'@SUM\(A1\),$/)
  expect(second).toMatch(/,,a; b$/)
})

test('--format markdown escapes what calls contain', async () => {
  const cli = await testCli({ 'calls.ndjson': madeRecording({ data: { topic: '<img src=x> | **bold**' } }) })
  const { stdout } = await cli.run('report', 'calls.ndjson', '--format', 'markdown', '--fail', 'calls < 1')
  expect(stdout).toContain('# 1 call\n')
  expect(stdout).toContain('| ✅ | calls \\< 1 | 1 |')
  expect(stdout).toContain('\\<img src\\=x\\> \\| \\*\\*bold\\*\\*')
})

test('--out selects the format by its extension, and overwrites only with --force', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  expect(await cli.run('report', 'calls.ndjson', '--out', 'calls.csv')).toMatchObject({
    exitCode: 0,
    stdout: 'Wrote calls.csv: 3 calls as csv\n',
  })
  expect((await cli.read('calls.csv')).split('\n')).toHaveLength(5)
  const again = await cli.run('report', 'calls.ndjson', '--out', 'calls.csv')
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('calls.csv already exists') })
  expect((await cli.run('report', 'calls.ndjson', '--out', 'calls.csv', '--force')).exitCode).toBe(0)
  expect((await cli.run('report', 'calls.ndjson', '--out', 'calls.pdf')).stderr).toContain(
    '--out cannot be "calls.pdf"',
  )
})

test('names an empty value', async () => {
  const cli = await testCli({ 'calls.ndjson': madeRecording({ data: { topic: ' ' } }) })
  const { stdout } = await cli.run('report', 'calls.ndjson')
  expect(stdout).toMatch(/Structured data, topic\n {2}\(empty\) +█/)
})

test('many groups are cut, those of a condition that hold first', async () => {
  const calls = Array.from({ length: 60 }, (_, index) => ({
    assistant: `Desk ${String(index).padStart(2, '0')}`,
    ...(index === 59 && { messages: slowReply }),
  }))
  const cli = await testCli({ 'calls.ndjson': madeRecording(...calls) })
  const flags = ['--by', 'assistant', '--fail', 'p95(reply) > 3s by assistant']
  const { stdout } = await cli.run('report', 'calls.ndjson', ...flags)
  expect(stdout).toMatch(/\n✕ p95\(reply\) > 3s by assistant: 7\.0s \(assistant Desk 59\)\n✓/)
  expect(stdout.match(/^ +Desk \d\d/gm)).toHaveLength(25)
  expect(stdout.replace(/\s+/g, ' ').match(/… and 35 more groups; --json lists all/g)).toHaveLength(2)
  const json = await cli.run('report', 'calls.ndjson', ...flags, '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ groups: { length: 60 }, conditions: { length: 60 } })
})

test('the command of a call can be pasted, and its name is one line', async () => {
  const ids = ['--help', 'two\nlines', 'a b']
  const cli = await testCli({
    'calls.ndjson': madeRecording(...ids.map(id => ({ id, success: 'fail' as const }))),
  })
  const { stdout } = await cli.run('report', 'calls.ndjson')
  expect(stdout).toContain('callyard webhook show calls.ndjson --call=--help\n')
  expect(stdout).toContain("--call 'a b'\n")
  expect(stdout).toMatch(/^ {2}two\\nlines {2}not successful/m)
  const shown = await cli.run('webhook', 'show', 'calls.ndjson', '--call=--help')
  expect(shown.stdout).toContain('Call --help')
})

test('a single value has no interval, but a single share has', async () => {
  const cli = await testCli({ 'calls.ndjson': madeRecording({}) })
  const { stdout } = await cli.run('report', 'calls.ndjson')
  expect(stdout).toMatch(/Reply +1 +1\.1s +1\.1s +1\.1s +1\.1s/)
  expect(stdout).toMatch(/Success +█+ +1 +100% +21%–100%/)
})

test('--since leaves out calls that began earlier', async () => {
  const cli = await testCli({
    'calls.ndjson': madeRecording(
      {},
      { startAt: Date.UTC(2026, 2, 3, 10) },
      { startAt: Date.UTC(2026, 2, 4, 10) },
    ),
  })
  const callsSince = async (since: string) =>
    JSON.parse((await cli.run('report', 'calls.ndjson', '--since', since, '--json')).stdout).calls
  expect(await callsSince('2026-03-02')).toBe(2)
  expect(await callsSince('2026-03-03T10:00:00Z')).toBe(2)
  const none = await cli.run('report', 'calls.ndjson', '--since', '2027-01-01')
  expect(none).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('no calls since ') })
})

test('several recordings, and stdin, are one report', async () => {
  const cli = await testCli({ 'one.ndjson': madeRecording({}), 'two.ndjson': madeRecording({ id: 'CC-9' }) })
  const files = await cli.run('report', 'one.ndjson', 'two.ndjson')
  expect(files.stdout).toContain('2 calls\n')
  const piped = await cli.runWith({ input: recording }, 'report', '-')
  expect(piped.stdout).toContain('3 calls\nstdin')
})

test('--fail exits with 8 after the report if a condition holds', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const passes = await cli.run('report', 'calls.ndjson', '--fail', 'p95(reply) > 8s', '--fail', 'calls < 3')
  expect(passes).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('✓ p95(reply) > 8s: 7.0s') })
  const conditions = ['--fail', 'p95(reply) > 3s by assistant', '--fail', 'calls < 3']
  const fails = await cli.run('report', 'calls.ndjson', ...conditions)
  expect(fails.exitCode).toBe(8)
  expect(fails.stdout).toContain('✓ p95(reply) > 3s by assistant: 1.1s (assistant Front desk)')
  expect(fails.stdout).toContain('✕ p95(reply) > 3s by assistant: 7.0s (assistant Night desk)')
  expect(fails.stderr).toContain('1 --fail condition holds: p95(reply) > 3s by assistant')
  const json = await cli.run('report', 'calls.ndjson', '--json', '--fail', 'p95(reply) > 3s')
  expect(json.exitCode).toBe(8)
  expect(JSON.parse(json.stdout)).toMatchObject({
    conditions: [{ condition: 'p95(reply) > 3s', value: 7000, limit: 3000, holds: true }],
  })
})

test('a condition without data fails too, because it has checked nothing', async () => {
  const cli = await testCli({ 'calls.ndjson': madeRecording({ success: undefined }) })
  const result = await cli.run('report', 'calls.ndjson', '--fail', 'success < 0.9')
  expect(result).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('? success < 0.9: no data') })
  expect(result.stderr).toContain('no data for success < 0.9')
  const grouped = await cli.run('report', 'calls.ndjson', '--fail', 'success < 0.9 by assistant')
  expect(grouped).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('no data') })
})

test('a condition that cannot be read is reported with its place, before anything is read', async () => {
  const cli = await testCli()
  const result = await cli.run('report', 'missing.ndjson', '--fail', 'p95(replay) > 3s')
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toContain('unknown metric\n  p95(replay) > 3s\n      ^^^^^^\n')
  expect(result.stderr).toContain('did you mean reply?')
  const empty = await cli.run('report', 'missing.ndjson', '--fail', '')
  expect(empty.stderr).toContain('error: --fail: the condition is empty\nhint: ')
  const live = await cli.run('report', 'missing.ndjson', '--fail', 'no events for 15m')
  expect(live.stderr).toContain(
    'over and no events are only supported in rules of a guard\n  no events for 15m\n',
  )
  const baseline = await cli.run('report', 'missing.ndjson', '--fail', 'success < baseline')
  expect(baseline).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('requires --compare') })
})

test('--compare shows only differences beyond chance', async () => {
  const many = (messages: typeof slowReply) =>
    madeRecording(...Array.from({ length: 20 }, () => ({ messages })))
  const quick = madeRecording(...Array.from({ length: 20 }, () => ({})))
  const cli = await testCli({ 'now.ndjson': many(slowReply), 'before.ndjson': quick })
  const { stdout } = await cli.run('report', 'now.ndjson', '--compare', 'before.ndjson')
  expect(stdout).toContain('Compared with before.ndjson.')
  expect(stdout).toMatch(/Reply p95 +1\.1s +7\.0s +\+5\.9s to \+5\.9s +✕ worse/)
  expect(stdout).not.toMatch(/Success +100%/)
  const same = await cli.run('report', 'before.ndjson', '--compare', 'before.ndjson')
  expect(same.stdout).toMatch(/Comparison\n {2}No differences beyond chance in \d+ figures\./)
})

test('asks for one source, and only one', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  expect(await cli.run('report')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('the recording is missing'),
  })
  const both = await cli.run('report', 'calls.ndjson', '--log')
  expect(both).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('a recording and --log cannot be used together'),
  })
  expect((await cli.run('report', '--sandbox')).stderr).toContain('no sandbox whose control token is known')
  expect((await cli.run('report', '--batch', 'nobody.csv')).stderr).toContain('has no calls yet')
})

test('help metrics and docs/reports.md define every metric', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('help', 'metrics')
  const text = stdout.replace(/\s+/g, ' ')
  const page = await readFile('docs/reports.md', 'utf8')
  for (const name of metricNames) {
    const [, definition] = page.split(`| \`${name}\` | `, 2)
    expect(text).toContain(` ${name} ${definition?.split(' |\n', 1)[0]} `)
  }
})
