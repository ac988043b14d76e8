import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { patientClock } from '../../../helpers/patient-clock.ts'
import { bodiesOf, readAll, recordedLine } from '../../../helpers/recordings.ts'
import { startTail } from '../../../helpers/start-command.ts'
import { testCli } from '../../../helpers/test-cli.ts'

test('--record keeps every accepted event unchanged, and the summary counts them', async () => {
  const cli = await testCli()
  const tail = await startTail(
    cli,
    ['--json', '--record', 'calls.ndjson', '--require-header', 'X-From: s3cret'],
    { clock: patientClock() },
  )
  const bodies = [
    ` ${JSON.stringify(statusUpdate('c1', 'queued'))}\n`,
    JSON.stringify(conversationUpdate('c1', message('m1', 'hello'))),
    JSON.stringify(conversationUpdate('c1', message('m1', 'hello'))),
  ]
  for (const body of bodies) expect(await tail.post(body, { 'x-from': 's3cret' })).toBe(200)
  expect(await tail.post(bodies[0] ?? '', { 'x-from': 'wrong' })).toBe(401)
  expect(await tail.post('not JSON', { 'x-from': 's3cret' })).toBe(400)
  const { exitCode, stdout, stderr } = await tail.end()
  const path = join(cli.folder, 'calls.ndjson')
  expect(exitCode).toBe(0)
  expect(await bodiesOf(path)).toEqual(bodies)
  expect((await readAll(path))[0]).toMatchObject({ headers: { 'x-from': '****' } })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(cli.folder)).toEqual(['calls.ndjson'])
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    kind: 'summary',
    events: 3,
    recording: { recorded: 3, missing: 0 },
  })
  expect(stderr).not.toContain('s3cret')
})

test('a person reads how many events are recorded, and what is wrong with the file', async () => {
  const cli = await testCli()
  const path = join(cli.folder, 'calls.ndjson')
  await writeFile(path, recordedLine('old') + recordedLine('torn').slice(0, 40))
  await chmod(path, 0o644)
  const tail = await startTail(cli, ['--record', 'calls.ndjson'], { clock: patientClock() })
  await tail.post(JSON.stringify(statusUpdate('c1', 'queued')))
  const { stderr } = await tail.end()
  expect(stderr).toContain('calls.ndjson can be read by others (mode 0644)')
  expect(stderr).toContain('the last line of calls.ndjson is incomplete')
  expect(stderr).toContain('1 event recorded')
  expect(await bodiesOf(path)).toEqual(['old', JSON.stringify(statusUpdate('c1', 'queued'))])
})

test('--rotate puts the file aside, and replay reads all of it', async () => {
  const cli = await testCli()
  const tail = await startTail(cli, ['--record', 'calls.ndjson', '--rotate', '1kb'], {
    clock: patientClock(),
  })
  for (let index = 0; index < 9; index++) {
    await tail.post(
      JSON.stringify(conversationUpdate(`c${index}`, message('m1', `word ${index} `.repeat(10)))),
    )
  }
  await tail.end()
  expect((await readdir(cli.folder)).length).toBeGreaterThan(2)
  for (const name of await readdir(cli.folder)) {
    expect((await stat(join(cli.folder, name))).size).toBeLessThanOrEqual(1024)
  }
  const replayed = await cli.run('webhook', 'replay', 'calls.ndjson', '--json')
  const texts = replayed.stdout.split('\n').flatMap(line => /"text":"word (\d)/.exec(line)?.[1] ?? [])
  expect(texts).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
})

test('reports a missing disk once, keeps listening, and rejects events until it is back', async () => {
  const cli = await testCli({ 'disk/readme': '' })
  const tail = await startTail(cli, ['--record', 'disk/calls.ndjson'], { clock: patientClock() })
  await rm(join(cli.folder, 'disk'), { recursive: true })
  for (const status of ['queued', 'ongoing']) {
    expect(await tail.post(JSON.stringify(statusUpdate('c1', status)))).toBe(503)
  }
  await mkdir(join(cli.folder, 'disk'))
  await expect.poll(() => tail.post(JSON.stringify(statusUpdate('c1', 'queued')))).toBe(200)
  const { exitCode, stdout, stderr } = await tail.end()
  expect({ exitCode, stdout }).toEqual({ exitCode: 8, stdout: '── c1 · queued\n' })
  expect(stderr.match(/not recorded since/g)).toHaveLength(1)
  expect(stderr.match(/the event could not be recorded/g)).toHaveLength(1)
  expect(stderr).toMatch(/recording to disk\/calls.ndjson again; \d events were rejected/)
  expect(stderr).toMatch(/1 event recorded \(\d rejected\)/)
  expect(stderr).toMatch(
    /\d events were rejected because disk\/calls.ndjson could not be written, the first at /,
  )
})

test('a second tail into the same file is a conflict before it listens', async () => {
  const cli = await testCli()
  await startTail(cli, ['--record', 'calls.ndjson'], { clock: patientClock() })
  const second = await cli.run('webhook', 'tail', '--port', '0', '--record', 'calls.ndjson', '--json')
  expect(second.exitCode).toBe(9)
  expect(second.stdout).not.toContain('"ready"')
  expect(second.stderr).toContain('is already recording to')
})

test('a port in use leaves no lock behind', async () => {
  const cli = await testCli()
  const tail = await startTail(cli, [], { clock: patientClock() })
  const { port } = new URL(tail.url)
  expect(await cli.run('webhook', 'tail', '--port', port, '--record', 'calls.ndjson')).toMatchObject({
    exitCode: 9,
  })
  expect(await readdir(cli.folder)).toEqual(['calls.ndjson'])
})

test.each([
  [['--rotate', '10mb'], '--record'],
  [['--record', 'none/calls.ndjson'], 'none/calls.ndjson'],
  [['--record', 'package.json'], 'it is not a recording'],
  [['--record', 'calls.ndjson', '--rotate', '10'], '--rotate'],
])('%j is wrong usage', async (argv, said) => {
  const cli = await testCli({ 'package.json': '{ "name": "x" }\n' })
  const result = await cli.run('webhook', 'tail', '--port', '0', ...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(said)
  expect(await cli.read('package.json')).toBe('{ "name": "x" }\n')
})

/** `webhook tail --port 0 …` once it listens. */
