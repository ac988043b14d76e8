import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toRecordedLine } from '../../src/events/recordings/index.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { isAcknowledged } from '../helpers/is-acknowledged.ts'
import { lines } from '../helpers/json-lines.ts'
import { readAll } from '../helpers/recordings.ts'
import { bin, runBin, startBin, startBuiltTail } from '../helpers/run-bin.ts'

const event = (id: string, status: string, padding = '') => ({
  message: { type: 'status-update', call: { id, status, padding } },
})

const startTail = (cwd: string, ...flags: string[]) => startBuiltTail(flags, { cwd })

test('a recording that is killed under load contains every acknowledged event', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  const seen: string[] = []
  for (let round = 0; round < 3; round++) {
    const { child, url } = await startTail(folder, '--record', 'calls.ndjson', '--rotate', '300kb')
    const acknowledged = await flood(url, `round-${round}`, count => {
      if (count === 150 + 100 * round) child.kill('SIGKILL')
    })
    await child
    seen.push(...acknowledged)
    const items = await readAll(path)
    const recorded = new Set(
      items.flatMap(item => (item.kind === 'recorded' ? [JSON.parse(item.body).message.call.id] : [])),
    )
    const lost = acknowledged.filter(id => !recorded.has(id))
    expect(acknowledged.length).toBeGreaterThan(100)
    expect(lost).toEqual([])
    expect(items.filter(item => item.kind === 'skipped').length).toBeLessThanOrEqual(round + 1)
  }
  expect((await readdir(folder)).filter(name => /\.\d+\.ndjson$/.test(name)).length).toBeGreaterThan(0)
  const replayed = await runBin(['webhook', 'replay', 'calls.ndjson', '--json'], { cwd: folder })
  expect(replayed.exitCode).toBe(0)
  const summary = JSON.parse(replayed.stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(summary.events).toBeGreaterThanOrEqual(seen.length)
})

test('a tail whose recording cannot grow (ulimit -f) rejects events, and reports how many', async () => {
  const cwd = await temporaryFolder()
  const child = execa(
    'bash',
    ['-c', 'ulimit -f 10; exec "$0" "$@"', process.execPath, bin].concat([
      'webhook',
      'tail',
      '--port',
      '0',
      '--json',
      '--record',
      'calls.ndjson',
    ]),
    { cwd, reject: false, stdin: 'ignore', env: { CALLYARD_CONFIG_DIR: cwd } },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child
  })
  const { url } = JSON.parse((await lines(child.stdout).next()).value ?? '')
  const statuses: number[] = []
  for (let index = 0; index < 40; index += 1) {
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(event('c1', `${index}`, 'x'.repeat(500))),
    })
    statuses.push(answer.status)
  }
  child.kill('SIGINT')
  expect(await child).toMatchObject({
    exitCode: 8,
    stderr: expect.stringMatching(/\d+ events were rejected because calls.ndjson could not be written/),
  })
  const recorded = (await readFile(join(cwd, 'calls.ndjson'), 'utf8')).trimEnd().split('\n').length
  expect(statuses).toEqual([...Array(recorded).fill(200), ...Array(40 - recorded).fill(503)])
})

test('replays a recording into another tail with the same transcript', async () => {
  const folder = await temporaryFolder()
  const first = await startTail(folder, '--record', 'calls.ndjson', '--require-header', 'x-from: s3cret')
  for (const status of ['queued', 'ongoing', 'finished']) {
    const answer = await fetch(first.url, {
      method: 'POST',
      headers: { 'x-from': 's3cret', 'content-type': 'application/json' },
      body: JSON.stringify(event('c1', status)),
    })
    expect(answer.status).toBe(200)
  }
  first.child.kill('SIGTERM')
  const { exitCode, stdout } = await first.child
  expect(exitCode).toBe(0)
  expect(await readdir(folder)).toEqual(['calls.ndjson'])
  expect(await readFile(join(folder, 'calls.ndjson'), 'utf8')).not.toContain('s3cret')
  expect((await stat(join(folder, 'calls.ndjson'))).mode & 0o777).toBe(0o600)

  const second = await startTail(folder, '--until', 'finished', '--require-header', 'x-from: s3cret')
  const argv = ['webhook', 'replay', 'calls.ndjson', '--to', second.url, '--speed', 'max']
  expect((await runBin(argv, { cwd: folder })).exitCode).toBe(5)
  const sent = await runBin([...argv, '--header', 'x-from: s3cret'], { cwd: folder })
  expect(sent).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('3 events sent') })
  const transcript = (text: string) => text.split('\n').filter(line => line.includes('"status"'))
  expect(transcript((await second.child).stdout)).toEqual(transcript(stdout))
})

test('a replay into head ends quietly', async () => {
  const folder = await temporaryFolder()
  const record = (index: number) =>
    toRecordedLine({
      at: '2026-03-01T10:00:00.000Z',
      headers: {},
      body: JSON.stringify(event(`c${index}`, 'queued', 'x'.repeat(500))),
    })
  await writeFile(
    join(folder, 'calls.ndjson'),
    Array.from({ length: 5000 }, (_, index) => record(index)).join(''),
  )
  const child = startBin(['webhook', 'replay', 'calls.ndjson', '--json'], { cwd: folder })
  await lines(child.stdout).next()
  child.stdout?.destroy()
  const { exitCode, stderr } = await child
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

/** Posts events over many connections until the receiver is gone; the ids that were acknowledged. */
async function flood(url: string, prefix: string, acknowledged: (count: number) => void): Promise<string[]> {
  const ids: string[] = []
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  let next = 0
  const sender = async () => {
    for (;;) {
      const id = `${prefix}-${next++}`
      if (!(await isAcknowledged(url, JSON.stringify(event(id, 'queued', 'ü'.repeat(1500))), agent))) return
      ids.push(id)
      acknowledged(ids.length)
    }
  }
  await Promise.all(Array.from({ length: 20 }, sender))
  return ids
}
