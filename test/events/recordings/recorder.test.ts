import { chmod, link, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { lockRun } from '../../../src/events/forward/recover-events.ts'
import { loadRecorder, type Recorder, type RecorderEvent } from '../../../src/events/recordings/index.ts'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { bodiesOf, readAll, recordedLine } from '../../helpers/recordings.ts'

const { lockRecording, openRecorder } = await loadRecorder()

type RecorderOptions = Parameters<typeof openRecorder>[0]

test('an event is in the file as soon as append returns, without secrets', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const { recorder } = await open(path, { secretHeader: 'X-From' })
  recorder.append({
    body: Buffer.from('{ "müde": "\u0085" }\n'),
    headers: { 'content-type': 'application/json', authorization: 'Bearer s3cret', 'x-from': 's3cret' },
  })
  expect(await readAll(path)).toEqual([
    {
      kind: 'recorded',
      version: 1,
      at: '1970-01-01T00:00:00.000Z',
      headers: { 'content-type': 'application/json', authorization: '****', 'x-from': '****' },
      body: '{ "müde": "\u0085" }\n',
    },
  ])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await recorder.close()).toEqual({ recorded: 1, missing: 0, missingSince: undefined })
})

test.each([
  ['a recording', lockRecording],
  ['events that wait', lockRun],
])('shows only the system’s message why %s cannot be locked', async (_, lock) => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  const error: unknown = await lock(join(file, 'below'), patientClock()).catch(thrown => thrown)
  expect(error).toMatchObject({
    details: { reason: expect.stringMatching(/cannot be locked: not a directory/) },
  })
})

test('appends to an existing file with its mode, and warns if others may read it', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  await writeFile(path, recordedLine('old'))
  await chmod(path, 0o640)
  const { recorder, news } = await open(path)
  record(recorder, 'new')
  expect(await bodiesOf(path)).toEqual(['old', 'new'])
  expect((await stat(path)).mode & 0o777).toBe(0o640)
  expect(news).toEqual([{ kind: 'readable-by-others', mode: 0o640 }])
})

test('a torn last line is ended first, at any byte', async () => {
  const folder = await temporaryFolder()
  const whole = recordedLine({ text: 'grün' })
  for (let length = 1; length < Buffer.byteLength(whole) - 1; length++) {
    const path = join(folder, `${length}.ndjson`)
    await writeFile(
      path,
      Buffer.concat([Buffer.from(recordedLine('first')), Buffer.from(whole).subarray(0, length)]),
      {
        mode: 0o600,
      },
    )
    const { recorder, news } = await open(path)
    record(recorder, 'next')
    expect(news).toEqual([{ kind: 'torn' }])
    expect((await readAll(path)).map(item => (item.kind === 'recorded' ? item.body : item.line))).toEqual([
      'first',
      2,
      'next',
    ])
    await recorder.close()
  }
})

test('rejects a second one, even through a link, until the first closes', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  const { recorder } = await open(path)
  await symlink(path, join(folder, 'link.ndjson'))
  await expect(open(join(folder, 'link.ndjson'))).rejects.toMatchObject({ kind: 'conflict' })
  await recorder.close()
  const second = await open(path)
  await second.recorder.close()
  expect((await readdir(folder)).sort()).toEqual(['calls.ndjson', 'link.ndjson'])
})

test.each([
  ['another text', async (path: string) => writeFile(path, '{"name":"a package"}\n')],
  ['a folder', async (path: string) => void (await mkdir(path))],
  ['a missing folder', async (path: string) => rm(dirname(path), { recursive: true })],
])('%s is not recorded into', async (_, make) => {
  const path = join(await temporaryFolder(), 'disk', 'other.json')
  await mkdir(dirname(path))
  await make(path)
  await expect(open(path)).rejects.toMatchObject({ kind: 'usage' })
})

test('appends to a file that an editor saved with a byte order mark', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  await writeFile(path, `\uFEFF${recordedLine('old')}`)
  const { recorder } = await open(path)
  record(recorder, 'new')
  expect(await bodiesOf(path)).toEqual(['old', 'new'])
})

test('--rotate renames files by number without replacing any, and they are read in order', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  await writeFile(join(folder, 'calls.7.ndjson'), recordedLine('earlier'))
  const size = recordedLine('body 0').length
  const { recorder } = await open(path, { rotate: 2 * size })
  const bodies = Array.from({ length: 5 }, (_, index) => `body ${index}`)
  for (const body of bodies) record(recorder, body)
  record(recorder, 'larger than a file may be '.repeat(20))
  expect((await readdir(folder)).filter(name => name.endsWith('.ndjson')).sort()).toEqual([
    'calls.10.ndjson',
    'calls.7.ndjson',
    'calls.8.ndjson',
    'calls.9.ndjson',
    'calls.ndjson',
  ])
  expect(await bodiesOf(path)).toEqual(['earlier', ...bodies, 'larger than a file may be '.repeat(20)])
  expect((await stat(join(folder, 'calls.8.ndjson'))).size).toBeLessThanOrEqual(2 * size)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('recreates a removed file and reports it', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const { recorder, news } = await open(path)
  record(recorder, 'gone')
  await rm(path)
  record(recorder, 'kept')
  expect(await bodiesOf(path)).toEqual(['kept'])
  expect(news).toEqual([{ kind: 'removed' }])
})

test('reports a removed folder, and records again when it is back', async () => {
  const folder = join(await temporaryFolder(), 'disk')
  await mkdir(folder)
  const path = join(folder, 'calls.ndjson')
  const { recorder, news, clock } = await open(path)
  await rm(folder, { recursive: true })
  expect(record(recorder, 'one')).toBe(false)
  await mkdir(folder)
  // The lock went with the folder, and is taken again.
  await passUntil(clock, () => record(recorder, 'two'))
  expect(news.map(({ kind }) => kind)).toEqual(['failing', 'removed', 'resumed'])
  expect(await bodiesOf(path)).toEqual(['two'])
})

test('a lock that was lost is taken again, and nothing is written without one', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  let locks = 0
  let lost = false
  let free = false
  const { recorder, news, clock } = await open(path, {
    async lock() {
      if (locks > 0 && !free) throw new Error('another process has it')
      locks++
      lost = false
      return { isLost: () => lost, release: async () => {} }
    },
  })
  lost = true
  for (const body of ['one', 'two', 'three']) expect(record(recorder, body)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe('')
  free = true
  await passUntil(clock, () => record(recorder, 'four'))
  expect(news).toMatchObject([
    { kind: 'failing', reason: 'the lock of the file was lost' },
    { kind: 'resumed' },
  ])
  expect(await bodiesOf(path)).toEqual(['four'])
  expect(locks).toBe(2)
})

test('reports a full disk once, records nothing meanwhile, and continues when there is space', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const disk = failingDisk(recordedLine('0').length + 30)
  const { recorder, news } = await open(path, { disk })
  expect(['0', '1', '2'].map(body => record(recorder, body))).toEqual([true, false, false])
  expect(await bodiesOf(path)).toEqual(['0'])
  expect(news).toEqual([
    { kind: 'failing', since: '1970-01-01T00:00:00.000Z', reason: expect.stringContaining('ENOSPC') },
  ])
  disk.room = 1_000_000
  // The sender sends them again.
  expect(['1', '2', '3'].map(body => record(recorder, body))).toEqual([true, true, true])
  expect(news.slice(1)).toEqual([{ kind: 'resumed', missing: 2 }])
  expect(await bodiesOf(path)).toEqual(['0', '1', '2', '3'])
  const missingSince = '1970-01-01T00:00:00.000Z'
  expect(await recorder.close()).toEqual({ recorded: 4, missing: 2, missingSince })
  expect(await recorder.close()).toEqual({ recorded: 4, missing: 2, missingSince })
})

test('an event that is handed over again until it is recorded is not missing', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const disk = failingDisk(0)
  const { recorder } = await open(path, { disk })
  const delivery = { body: Buffer.from('{}'), headers: {} }
  expect([recorder.append(delivery), recorder.append(delivery)]).toEqual([false, false])
  disk.room = 1000
  expect(recorder.append(delivery)).toBe(true)
  expect(await recorder.close()).toEqual({ recorded: 1, missing: 0, missingSince: undefined })
})

test('a disk that fails in turns is reported once a minute', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const disk = failingDisk(0)
  const { recorder, news } = await open(path, { disk })
  for (let turn = 0; turn < 5; turn++) {
    disk.room = 0
    record(recorder, 'lost')
    disk.room = 1000
    record(recorder, 'kept')
  }
  expect(news.map(({ kind }) => kind)).toEqual(['failing', 'resumed'])
})

test('writes a line once if only its newline failed and it cannot be undone', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const disk = failingDisk(recordedLine('0').length - 1)
  disk.truncates = false
  const { recorder } = await open(path, { disk })
  expect(record(recorder, '0')).toBe(true)
  expect(await recorder.close()).toMatchObject({ recorded: 1, missing: 0 })
  expect(await bodiesOf(path)).toEqual(['0'])
})

test('for any disk failures, the file contains complete lines in order, and the counts are right', async () => {
  const folder = await temporaryFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ length: fc.nat(40), room: fc.nat(400), truncates: fc.boolean() }), {
        maxLength: 20,
      }),
      async steps => {
        const path = join(folder, `${run++}.ndjson`)
        const disk = failingDisk(0)
        const { recorder } = await open(path, { disk })
        const accepted: number[] = []
        for (const [index, { length, room, truncates }] of steps.entries()) {
          disk.room = room
          disk.truncates = truncates
          if (record(recorder, `${index} ${'x'.repeat(length)}`)) accepted.push(index)
        }
        const { recorded, missing } = await recorder.close()
        const bodies = await bodiesOf(path)
        const numbers = bodies.map(body => Number.parseInt(body, 10))
        expect(numbers).toEqual(accepted)
        expect(bodies).toHaveLength(recorded)
        expect(recorded + missing).toBe(steps.length)
      },
    ),
  )
})

test('keeps appending to a file that cannot be renamed, and reports it once', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  const { recorder, news } = await open(path, { rotate: 10 })
  record(recorder, '0')
  await rename(folder, `${folder}-away`)
  onTestFinished(() => rm(`${folder}-away`, { recursive: true, force: true }))
  record(recorder, '1')
  record(recorder, '2')
  expect(news).toEqual([{ kind: 'not-rotated', reason: expect.any(String) }])
  await link(join(`${folder}-away`, 'calls.ndjson'), join(`${folder}-away`, 'same.ndjson'))
  expect(await bodiesOf(join(`${folder}-away`, 'calls.ndjson'))).toEqual(['0', '1', '2'])
})

async function open(path: string, options: Partial<RecorderOptions> = {}) {
  const news: RecorderEvent[] = []
  const clock = patientClock()
  const recorder = await openRecorder({ path, clock, onEvent: item => news.push(item), ...options })
  onTestFinished(async () => void (await recorder.close()))
  return { recorder, news, clock }
}

function record(recorder: Recorder, body: string): boolean {
  return recorder.append({ body: Buffer.from(body), headers: { 'content-type': 'application/json' } })
}

/** Lets the sleepers of a clock wake again and again, until that holds. */
async function passUntil(clock: ReturnType<typeof patientClock>, holds: () => boolean): Promise<void> {
  while (!holds()) {
    clock.pass()
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}
