import { stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localDate, timeOfDay } from '../../../../src/lib/text/date-time.ts'
import { parsePage } from '../../../events/transcript/parse-page.ts'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { recordingFile } from '../../../helpers/recordings.ts'
import { shellPipe } from '../../../helpers/shell-pipe.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { triggeredCall, triggeredOddEvents } from '../../../helpers/triggered-events.ts'

const eventsOf = (id: string) => triggeredCall(2, id)

const one = recordingFile(...eventsOf('CC-1'))
const two = recordingFile(...eventsOf('CC-1'), ...eventsOf('CC-2').slice(0, 3))

test('the only call is printed as text', async () => {
  const cli = await testCli({ 'rec.ndjson': one })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^Call CC-1\n/)
  expect(stdout).toContain('  09:59:57  user       Hi, my rear brake rubs.')
  expect(stdout).not.toContain('\u001b')
})

test('a terminal gets color', async () => {
  const cli = await testCli({ 'rec.ndjson': one })
  expect((await cli.runWith({ terminal: true }, 'webhook', 'show', 'rec.ndjson')).stdout).toContain(
    '\u001b[1mCall CC-1\u001b[22m',
  )
})

test('the words of the project decide an outcome in the list, the transcript and the request to choose', async () => {
  const line = statusUpdate('CC-1', 'finished', { phoneCallStatus: 'no-answer' })
  const cli = await testCli({
    'rec.ndjson': recordingFile(line, ...eventsOf('CC-2')),
    'callyard.yaml': 'outcomes: { phoneCallStatus: { no-answer: voicemail } }\n',
  })
  expect((await cli.run('webhook', 'show', 'rec.ndjson')).stdout).toMatch(/^CC-1 .* voicemail$/m)
  expect((await cli.run('webhook', 'show', 'rec.ndjson', '--format', 'markdown')).stderr).toMatch(
    /^CC-1 .* voicemail$/m,
  )
  const { stdout } = await cli.run('webhook', 'show', 'rec.ndjson', '--call', 'CC-1')
  expect(stdout).toMatch(/^ +outcome +voicemail$/m)
  expect(stdout).not.toContain('not answered')
})

test('a call that nobody picked up has no duration, as in a report', async () => {
  const ringing = statusUpdate('CC-1', 'queued', { phoneCallStatus: 'ringing' })
  const end = statusUpdate('CC-1', 'finished', { phoneCallStatus: 'no-answer' })
  const cli = await testCli({ 'rec.ndjson': recordingFile(ringing, end) })
  const { stdout } = await cli.run('webhook', 'show', 'rec.ndjson', '--format', 'csv')
  expect(stdout).toContain('2026-03-01T10:00:00Z,,0,no-answer,')
  const report = JSON.parse((await cli.run('report', 'rec.ndjson', '--json')).stdout)
  expect(report.metrics).not.toHaveProperty('duration')
})

test('--json and --format json are the same document', async () => {
  const cli = await testCli({ 'rec.ndjson': two })
  const { stdout } = await cli.run('webhook', 'show', 'rec.ndjson', '--all', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    calls: [
      { callId: 'CC-1', messages: [{ text: expect.any(String) }, { role: 'user', edited: false }] },
      { callId: 'CC-2', messages: [{ role: 'assistant' }], analysis: null },
    ],
  })
  expect((await cli.run('webhook', 'show', 'rec.ndjson', '--all', '--format', 'json')).stdout).toBe(stdout)
})

test('several calls are a table, and no error', async () => {
  const cli = await testCli({ 'rec.ndjson': two })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'Show one with --call <id> (a unique prefix is enough), --last or --all.\n',
  })
  const startedAt = Date.parse('2026-03-01T09:59:51Z')
  const began = `${localDate(startedAt)} ${timeOfDay(startedAt)}`
  expect(stdout.split('\n').map(line => line.replace(/ +/g, ' '))).toEqual([
    'call started numbers took msgs status success',
    `CC-1 ${began} +12025550100 → +12025550123 0:09 2 answered pass`,
    `CC-2 ${began} +12025550100 → +12025550123 1 ongoing`,
    '',
  ])
})

test.each([['--last'], ['--call', 'CC-2']])('%s chooses a call of a pipe of the shell', async (...flags) => {
  const cli = await testCli()
  const { stdout, stderr } = await cli.run('webhook', 'show', await shellPipe(two), ...flags)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Call CC-2\n/)
})

test('one of several calls is chosen by its id, the beginning of it, or --last', async () => {
  const long = recordingFile(
    ...eventsOf('CC-11111111-aaaa-4000-8000-000000000000'),
    ...eventsOf('CC-11112222-bbbb-4000-8000-000000000000'),
    ...eventsOf('CC-2'),
    ...eventsOf('CC-22'),
  )
  const cli = await testCli({ 'rec.ndjson': long })
  const titleOf = async (...argv: string[]) => {
    const { stdout } = await cli.run('webhook', 'show', 'rec.ndjson', ...argv)
    return stdout.split('\n')[0]
  }
  expect(await titleOf('--call', 'CC-11112')).toBe('Call CC-11112222-bbbb-4000-8000-000000000000')
  expect(await titleOf('--call', 'CC-2')).toBe('Call CC-2')
  expect(await titleOf('--last')).toBe('Call CC-22')
  const ambiguous = await cli.run('webhook', 'show', 'rec.ndjson', '--call', 'CC-1')
  expect(ambiguous).toMatchObject({ exitCode: 2, stdout: '' })
  expect(ambiguous.stderr).toContain('rec.ndjson holds 2 calls whose ids begin with CC-1')
  expect(ambiguous.stderr).toContain('give more of the id: CC-11111111, CC-11112222\n')
})

test('two calls without id are two calls, chosen by their numbers', async () => {
  const said = (text: string) => conversationUpdate(undefined, message('user-1', text))
  const cli = await testCli({ 'rec.ndjson': recordingFile(said('First call'), said('Second call')) })
  const listed = await cli.run('webhook', 'show', 'rec.ndjson')
  expect(listed.exitCode).toBe(0)
  expect(listed.stdout).toMatch(/^-1 .*\n-2 .*\n$/m)
  const second = await cli.run('webhook', 'show', 'rec.ndjson', '--call', '-2')
  expect(second.stdout).toMatch(/^Call 2 without id\n/)
  expect(second.stdout).toContain('Second call')
  expect(second.stdout).not.toContain('First call')
})

test('a doubt about calls without id is reported where one of them is shown', async () => {
  const events = [...triggeredOddEvents('CC-7').map(({ event }) => event), ...eventsOf('CC-last')]
  const cli = await testCli({ 'rec.ndjson': recordingFile(...events) })
  expect((await cli.run('webhook', 'show', 'rec.ndjson')).stderr).toContain('several calls send no id')
  expect((await cli.run('webhook', 'show', 'rec.ndjson', '--last')).stderr).toBe('')
})

test('every odd shape is shown, and the calls that end have ended', async () => {
  const events = triggeredOddEvents('CC-7')
  const cli = await testCli({ 'rec.ndjson': recordingFile(...events.map(({ event }) => event)) })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson', '--json')
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/^warning: several calls send no id;.*\n.*\n$/)
  const calls: { callId: string | null; conversation: number | null; ended: boolean }[] =
    JSON.parse(stdout).calls
  const going = calls.filter(({ ended }) => !ended)
  // A call that is but a text, two whose only events are updates, and what belongs to no call.
  expect(going.map(({ callId, conversation }) => callId ?? conversation)).toEqual([
    'CC-7-call-as-text',
    expect.any(Number),
    expect.any(Number),
    null,
  ])
})

test('several calls are all of them in JSON, and another document asks which', async () => {
  const cli = await testCli({ 'rec.ndjson': two })
  const all = await cli.run('webhook', 'show', 'rec.ndjson', '--all', '--json')
  expect(await cli.run('webhook', 'show', 'rec.ndjson', '--json')).toEqual(all)
  expect((await cli.run('webhook', 'show', 'rec.ndjson', '--format', 'json')).stdout).toBe(all.stdout)
  for (const argv of [
    ['--format', 'html'],
    ['--out', 'calls.md'],
  ]) {
    const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson', ...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^CC-2 /m)
    expect(stderr).toContain('select one with --call <id> or --last, or all with --all')
  }
})

test('--call - selects events without a call; another id is rejected with a suggestion', async () => {
  const file = recordingFile(conversationUpdate(undefined, message('m1', 'Hello')), ...eventsOf('CC-1'))
  const cli = await testCli({ 'rec.ndjson': file })
  expect((await cli.run('webhook', 'show', 'rec.ndjson', '--call', '-')).stdout).toMatch(/^Call without id\n/)
  const unknown = await cli.run('webhook', 'show', 'rec.ndjson', '--call', 'CC-11')
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unknown.stderr).toContain('did you mean CC-1?')
})

test.each([
  ['call.html', 'html', /^<!doctype html>/],
  ['call.md', 'markdown', /^# Call CC-1/],
  ['call.json', 'json', /^\{\n {2}"version": 1/],
  ['call.txt', 'text', /^Call CC-1/],
])('--out %s writes %s that only its owner can read', async (name, format, beginning) => {
  const cli = await testCli({ 'rec.ndjson': one })
  const { exitCode, stdout } = await cli.run('webhook', 'show', 'rec.ndjson', '--out', name, '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ file: name, format, calls: ['CC-1'] })
  expect(await cli.read(name)).toMatch(beginning)
  expect(await cli.read(name)).toMatch(/[^\n]\n$/)
  expect((await stat(join(cli.folder, name))).mode & 0o777).toBe(0o600)
})

test.each([
  ['calls.html', /<table>[\s\S]*<th scope="col" class="outcome">[\s\S]*<article id="call-1"/],
  [
    'calls.md',
    /^\| Who \| When \(UTC\) \| Duration \| Messages \| Outcome \| Success \| Call \|\n\| --- [\s\S]*\n# Call CC-1/,
  ],
  ['calls.json', /^\{\n {2}"version": 1,\n {2}"overview": \[[\s\S]*"calls": \[/],
  [
    'calls.csv',
    /^\ufeffcall,number,name,when,duration_seconds,messages,outcome,success\nCC-1,\+12025550123,Ada,2026-03-01T09:59:51Z,9,2,answered,pass\nCC-2,/,
  ],
  [
    'calls.txt',
    /^Who +When \(UTC\) +Duration +Messages +Outcome +Success +Call\n\+12025550123 Ada +2026-03-01 09:59 +0:09 +2 +answered +pass +CC-1\n[\s\S]*\nCall CC-1\n/,
  ],
])('--all --out %s starts with a table of the calls', async (name, beginning) => {
  const cli = await testCli({ 'rec.ndjson': two })
  const { exitCode, stderr } = await cli.run('webhook', 'show', 'rec.ndjson', '--all', '--out', name)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const content = await cli.read(name)
  expect(content).toMatch(beginning)
  expect(content).toContain('+12025550123')
  expect(content).toContain('no end recorded')
})

test('a table in CSV holds no formula', async () => {
  const [hostile] = eventsOf('CC-1').slice(-1)
  const message = { ...hostile?.message, customer: { number: '=1+2', name: '"a",b' } }
  const call = { id: '-cmd', status: 'finished' }
  const cli = await testCli({ 'rec.ndjson': recordingFile({ message: { ...message, call } }) })
  await cli.run('webhook', 'show', 'rec.ndjson', '--all', '--out', 'calls.csv')
  expect(await cli.read('calls.csv')).toContain(`\n'-cmd,'=1+2,"""a"",b",`)
})

test.each(['calls.pdf', 'calls.docx'])('rejects --out %s before reading the recording', async name => {
  const cli = await testCli({})
  const { exitCode, stderr } = await cli.run('webhook', 'show', 'missing.ndjson', '--all', '--out', name)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`--out cannot be "${name}"`)
  expect(stderr).toContain(`or .csv, or put the format before the name, such as text:${name}`)
})

test('a format before the name wins over the extension, and --format agrees with --out', async () => {
  const cli = await testCli({ 'rec.ndjson': one })
  const show = ['webhook', 'show', 'rec.ndjson', '--out'] as const
  await cli.run(...show, 'html:call.txt', '--format', 'html')
  expect(parsePage((await cli.read('call.txt')).trimEnd())).toBeDefined()
  const { exitCode, stderr } = await cli.run(...show, 'other.txt', '--format', 'html')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--out other.txt is text, and --format html is not')
  expect(stderr).toContain('--out html:other.txt')
})

test('keeps an existing file without --force, and sets mode 0600 with it', async () => {
  const cli = await testCli({ 'rec.ndjson': one, 'call.md': 'mine' })
  const refused = await cli.run('webhook', 'show', 'rec.ndjson', '--out', 'call.md')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('call.md already exists')
  expect(refused.stderr).toContain('--force')
  expect(await cli.read('call.md')).toBe('mine')
  expect(await cli.run('webhook', 'show', 'rec.ndjson', '--out', 'call.md', '--force')).toMatchObject({
    exitCode: 0,
  })
  expect(await cli.read('call.md')).toMatch(/^# Call CC-1/)
  expect((await stat(join(cli.folder, 'call.md'))).mode & 0o777).toBe(0o600)
})

test.each([
  ['call.md', [], 'document-exists'],
  ['folder.md', ['--force'], 'document-no-file'],
  ['link.md', ['--force'], 'document-no-file'],
  ['nowhere/call.md', ['--force'], 'document-not-written'],
])('a script reads from the code why %s was not written', async (out, force, code) => {
  const cli = await testCli({ 'rec.ndjson': one, 'call.md': 'mine', 'folder.md/a.txt': '' })
  await symlink('call.md', join(cli.folder, 'link.md'))
  const { stdout } = await cli.run('webhook', 'show', 'rec.ndjson', '--out', out, ...force, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ error: { code, path: out, exitCode: 2 } })
  expect(await cli.read('call.md')).toBe('mine')
})

test('reports and skips a torn last line and lines that are not events', async () => {
  const [first = '', ...more] = one.trimEnd().split('\n')
  const cli = await testCli({ 'rec.ndjson': `${first}\ngarbage\n${more.join('\n')}\n{"kind":"recor` })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('finished')
  expect(stderr).toContain('rec.ndjson:7')
  expect(stderr).toContain('rec.ndjson:2')
})

test.each([
  ['rec.ndjson', '--call', 'CC-1', '--all'],
  ['rec.ndjson', '--last', '--all'],
  ['rec.ndjson', '--call', 'CC-1', '--last'],
  ['rec.ndjson', '--format', 'pdf'],
  ['rec.ndjson', '--format', 'html', '--json'],
  ['rec.ndjson', '--force'],
])('%j is wrong usage', async (...argv) => {
  const cli = await testCli({ 'rec.ndjson': one })
  expect(await cli.run('webhook', 'show', ...argv)).toMatchObject({ exitCode: 2 })
})

test('a recording without calls says so', async () => {
  const cli = await testCli({ 'rec.ndjson': recordingFile('["no event"]') })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'show', 'rec.ndjson')
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
  expect(stderr).toContain('rec.ndjson contains no calls')
})
