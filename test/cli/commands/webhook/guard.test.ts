import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { madeRecording, slowReply } from '../../../calls/report/made-recording.ts'
import { statusUpdate } from '../../../helpers/events.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { startTail } from '../../../helpers/start-command.ts'
import { post, startTarget } from '../../../helpers/target-server.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

const minute = 60_000
const start = Date.UTC(2026, 2, 1, 10)

test('replay prints when rules would have fired and recovered, and runs nothing', async () => {
  const recording = madeRecording(
    { startAt: start, messages: slowReply },
    { startAt: start + 5 * minute },
    { startAt: start + 30 * minute, end: 'busy', messages: [] },
  )
  const rules = `timezone: UTC
rules:
  - { name: slow, when: p95(reply) over 10m > 3s, exec: ./never-run }
  - { name: silence, when: no events for 10m between 10:00 and 18:00 }
  - { name: busy, when: count(busy) over 1h >= 1, url: 'http://127.0.0.1:9/' }
`
  const cli = await testCli({ 'calls.ndjson': recording, 'guards/calls.yaml': rules })
  const { exitCode, stdout } = await cli.run(
    ...['webhook', 'replay', 'calls.ndjson', '--guard', 'guards/calls.yaml', '--json'],
  )
  expect(exitCode).toBe(0)
  const lines = jsonLines(stdout)
  const alerts = lines.slice(0, -1).map(({ kind, rule, at }) => [kind, rule, at.slice(11, 19)])
  expect(alerts).toEqual([
    ['guard-fired', 'slow', '10:00:13'],
    ['guard-recovered', 'slow', '10:10:13'],
    ['guard-fired', 'silence', '10:15:11'],
    ['guard-recovered', 'silence', '10:30:00'],
    ['guard-fired', 'busy', '10:30:01'],
  ])
  expect(lines[0]).toMatchObject({ limit: 3000, unit: 'ms', calls: [{ call: 'CC-1', outcome: 'answered' }] })
  expect(lines.at(-1)).toMatchObject({
    kind: 'summary',
    calls: 3,
    guard: {
      rules: [
        { fired: 1, firing: [] },
        { fired: 1, firing: [] },
        { fired: 1, firing: [{}] },
      ],
    },
  })

  const printed = await cli.run('webhook', 'replay', 'calls.ndjson', '--guard', 'guards/calls.yaml')
  expect(printed.stdout).toMatch(
    /slow fired: p95\(reply\) over 10m > 3s \([\d.]+s, limit 3\.0s; first call: CC-1\)/,
  )
  expect(printed.stderr).toContain('rule busy: fired 1 time, still firing')
})

test.for(['Mars/Olympus', 'Foo-5'])('TZ=%s does not end a guard with times of day', async TZ => {
  vi.stubEnv('TZ', TZ)
  onTestFinished(() => void vi.unstubAllEnvs())
  const calls = madeRecording({ startAt: start }, { startAt: start + 30 * minute })
  const rules = 'rules:\n  - { name: silence, when: no events for 10m between 10:00 and 18:00 }\n'
  const cli = await testCli({ 'guard.yaml': rules, 'calls.ndjson': calls })
  const replayed = await cli.run('webhook', 'replay', 'calls.ndjson', '--guard', 'guard.yaml')
  expect(replayed).toMatchObject({ exitCode: 0 })
  expect(replayed.stdout).toContain('silence fired')
})

test('replay --guard names the place of an error, and does not go with --to', async () => {
  const cli = await testCli({
    'calls.ndjson': madeRecording({}),
    'calls.yaml': 'rules:\n  - { name: a, when: p95(replay) over 10m > 3s }\n',
  })
  const broken = await cli.run('webhook', 'replay', 'calls.ndjson', '--guard', 'calls.yaml')
  expect(broken).toMatchObject({ exitCode: 3, stdout: '' })
  expect(broken.stderr).toContain('calls.yaml:2:26')
  expect(broken.stderr).toContain('did you mean reply?')
  const both = await cli.run(
    ...['webhook', 'replay', 'calls.ndjson', '--guard', 'calls.yaml', '--to', 'http://127.0.0.1:9/'],
  )
  expect(both).toMatchObject({ exitCode: 2 })
})

/** Runs a tail until it has printed this, then ends it with Ctrl-C. */
async function tailUntil(
  cli: TestCli,
  wanted: string,
  act: (url: string) => Promise<void>,
  ...flags: string[]
) {
  const tail = await startTail(cli, ['--guard', 'guards/calls.yaml', '--json', ...flags])
  await act(tail.url)
  await tail.printed(wanted)
  const result = await tail.end()
  return { ...result, events: jsonLines(result.stdout) }
}

async function postCall(url: string, id: string, phoneCallStatus: string): Promise<void> {
  await post(url, statusUpdate(id, 'finished', { phoneCallStatus }))
}

test('an alert is sent once until the rule recovers; the windows of the next tail start empty', async () => {
  const target = await startTarget()
  const rules = `rules:
  - name: busy
    when: share(busy) over last 2 calls > 90%
    url: ${target.url}?secret=1
    headers: { x-token: '\${env:ALERT_TOKEN}' }
`
  const cli = await testCli({ 'guards/calls.yaml': rules }, { env: { ALERT_TOKEN: 'of-the-test' } })
  const first = await tailUntil(cli, 'guard-recovered', async url => {
    for (const id of ['CC-1', 'CC-2', 'CC-3']) await postCall(url, id, 'busy')
    // Not in the second in which the rule fires.
    await target.arrived(1)
    await postCall(url, 'CC-4', 'no-answer')
  })
  expect(first.exitCode).toBe(0)
  expect(first.events.at(-1)).toMatchObject({
    guard: { rules: [{ name: 'busy', fired: 1 }], delivered: 2, failed: 0 },
  })
  const bodies = target.arrivals.map(arrival => arrival.json())
  expect(bodies.map(({ kind }) => kind)).toEqual(['guard-fired', 'guard-recovered'])
  expect(bodies[0].id).toBe(bodies[1].id)
  expect(target.arrivals.map(({ headers }) => headers['x-token'])).toEqual(['of-the-test', 'of-the-test'])
  expect(first.stdout + first.stderr).not.toMatch(/of-the-test|secret=1/)

  const second = await tailUntil(cli, '"CC-5"', url => postCall(url, 'CC-5', 'busy'))
  expect(second.exitCode).toBe(0)
  expect(second.stderr).toContain('windows start empty')
  expect(second.events.at(-1)).toMatchObject({ guard: { rules: [{ fired: 0, firing: [] }] } })
})

test('a command gets the alert on stdin; a failed one is reported, and the tail exits with 8', async () => {
  const rule = (name: string, command: string) =>
    `  - { name: ${name}, when: count(busy) over 1h >= 1, exec: '${command}' }\n`
  const cli = await testCli({
    'guards/calls.yaml': `rules:
${rule('page', 'cat > alert.json')}${rule('busy', 'echo "no pager" | cat >&2; exit 3')}`,
  })
  const { exitCode, events, stderr } = await tailUntil(
    cli,
    'guard-failed',
    url => postCall(url, 'CC-1', 'busy'),
    '--yes',
  )
  expect(exitCode).toBe(8)
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'guard-failed', rule: 'busy', alert: 'guard-fired', stderr: 'no pager' }),
  )
  expect(stderr).toContain('1 alert of --guard failed')
  expect(events.at(-1)).toMatchObject({ guard: { delivered: 1, failed: 1 } })
  const alert = JSON.parse(await readFile(join(cli.folder, 'guards/alert.json'), 'utf8'))
  expect(alert).toMatchObject({ kind: 'guard-fired', rule: 'page', calls: [{ call: 'CC-1' }] })
})

test('a command whose program is missing is refused at the start', async () => {
  const cli = await testCli({
    'guards/calls.yaml': 'rules:\n  - { name: busy, when: count(busy) over 1h >= 1, exec: ./missing.sh }\n',
  })
  const { exitCode, stderr } = await cli.run(
    ...['webhook', 'tail', '--port', '0', '--guard', 'guards/calls.yaml', '--yes'],
  )
  expect(exitCode).toBe(2)
  expect(stderr).toContain('rule "busy": command not found: ./missing.sh')
})

test('a command of the file runs only after a person or --yes confirms it, and is remembered', async () => {
  const tail = ['webhook', 'tail', '--port', '0', '--guard', 'guards/calls.yaml']
  const cli = await testCli({
    'callyard.yaml': '',
    'guards/calls.yaml': `rules:
  - { name: busy, when: count(busy) over 1h >= 1, exec: ./a, }
  - { name: slow, when: count(busy) over 1h >= 1, exec: './b, c' }
`,
  })
  const scripted = await cli.run(...tail)
  expect(scripted).toMatchObject({ exitCode: 2, stdout: '' })
  expect(scripted.stderr).toMatch(/--yes is required to run guards\/calls\.yaml: \.\/a/)
  cli.type('n')
  const declined = await cli.run(...tail)
  expect(declined).toMatchObject({ exitCode: 130, stdout: '' })
  expect(declined.stderr).toMatch(/ commands +guards\/calls\.yaml: \.\/a\n +guards\/calls\.yaml: \.\/b, c\n/)
  cli.type('y')
  expect((await cli.run(...tail)).stderr).toContain('command not found')
  const again = await cli.run(...tail)
  expect(again.stderr).toContain('command not found')
  expect(again.stderr).not.toMatch(/for the first time|--yes/)
})

test('--exec-env names set variables for its programs', async () => {
  const cli = await testCli(
    {
      'guards/calls.yaml':
        'rules:\n  - { name: a, when: count(busy) over 1h >= 1, exec: "echo 1-$PAGER_KEY-$NATS_PASSWORD-1 | cat" }\n',
    },
    { env: { ...process.env, PAGER_KEY: 'pager', NATS_PASSWORD: 'secret' } },
  )
  const named = ['--yes', '--exec-env', 'PAGER_KEY']
  const { stderr } = await tailUntil(cli, '1-pager--1', url => postCall(url, 'CC-1', 'busy'), ...named)
  expect(stderr).toContain('1-pager--1')
  const tail = ['webhook', 'tail', '--port', '0', '--guard', 'guards/calls.yaml', '--yes']
  const unset = await cli.run(...tail, '--exec-env', 'NO_SUCH_KEY')
  expect(unset).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('NO_SUCH_KEY is not set') })
  const pair = await cli.run(...tail, '--exec-env', 'PAGER_KEY=x')
  expect(pair).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Use the name of a variable') })
})
