import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadFollower } from '../../../src/events/recordings/index.ts'
import { openRecordingFile } from '../../../src/events/recordings/recording-file.ts'
import { conversationUpdate, message } from '../../helpers/events.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { bodiesOf, recordingFile } from '../../helpers/recordings.ts'
import { testCli } from '../../helpers/test-cli.ts'

const { followRecording } = await loadFollower()

const events = Array.from({ length: 3000 }, (_, index) =>
  conversationUpdate(`CC-${index}`, message('m1', `Hello ${index}: ${Math.sin(index)}`)),
)
const text = recordingFile(...events)

async function write(content: string | Buffer, name = 'calls.ndjson.gz'): Promise<string> {
  return join(await temporaryFolder({ [name]: content }), name)
}

const countEvents = async (path: string) => (await bodiesOf(path)).length

test('reads a recording that gzip compressed, in several parts too, and one that only has the name', async () => {
  const middle = text.indexOf('\n', text.length / 2) + 1
  const parts = [text.slice(0, middle), text.slice(middle)].map(part => gzipSync(part))
  for (const content of [gzipSync(text), Buffer.concat(parts), text])
    expect(await countEvents(await write(content))).toBe(events.length)
})

test('a truncated or damaged file is an error that says so', async () => {
  const whole = gzipSync(text)
  const cut = whole.subarray(0, whole.length - 100)
  await expect(countEvents(await write(cut))).rejects.toMatchObject({
    ...{ kind: 'invalid', code: 'recording-damaged', details: { isTruncated: true } },
  })
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 1000, 2000)
  await expect(countEvents(await write(damaged))).rejects.toMatchObject({
    ...{ kind: 'invalid', code: 'recording-damaged', details: { isTruncated: false } },
  })
})

test.each(['calls.ndjson', 'calls.GZ', 'calls'])('reads compressed data in a file named %s', async name => {
  expect(await countEvents(await write(gzipSync(text), name))).toBe(events.length)
})

test.each([
  ['gzip, twice', gzipSync(gzipSync(text))],
  ['zstd', Buffer.from('28b52ffd045831000068656c6c6f0a5388bd91', 'hex')],
])('data that was compressed with %s is not a recording', async (_, content) => {
  await expect(countEvents(await write(content))).rejects.toMatchObject({
    ...{ kind: 'invalid', code: 'not-a-recording' },
  })
})

test('a compressed file without data has no events, and one with part of a header is truncated', async () => {
  expect(await countEvents(await write(''))).toBe(0)
  expect(await countEvents(await write(gzipSync('')))).toBe(0)
  await expect(countEvents(await write(gzipSync(text).subarray(0, 5)))).rejects.toMatchObject({
    details: { isTruncated: true },
  })
})

const lineOf = (body: string) => recordingFile(body)

test('reads rotated files that were compressed since, in order, and each of them once', async () => {
  const folder = await temporaryFolder({
    'calls.1.ndjson.gz': gzipSync(lineOf('1')),
    'calls.2.ndjson': lineOf('2'),
    // gzip is at work, or was told to keep the file.
    'calls.2.ndjson.gz': gzipSync(lineOf('2')).subarray(0, 12),
    'calls.10.ndjson.gz': gzipSync(lineOf('10')),
    'calls.ndjson': lineOf('now'),
  })
  expect(await bodiesOf(join(folder, 'calls.ndjson'))).toEqual(['1', '2', '10', 'now'])
  await rm(join(folder, 'calls.ndjson'))
  await writeFile(join(folder, 'calls.ndjson.gz'), gzipSync(lineOf('now')))
  for (const name of ['calls.ndjson', 'calls.ndjson.gz'])
    expect(await bodiesOf(join(folder, name))).toEqual(['1', '2', '10', 'now'])
})

test('rotation never gives a file the number of a compressed one', async () => {
  const folder = await temporaryFolder({ 'calls.4.ndjson.gz': gzipSync(lineOf('old')) })
  const path = join(folder, 'calls.ndjson')
  const file = openRecordingFile({ path, rotate: 10, onEvent: () => {} })
  for (const body of ['one', 'two']) file.append(Buffer.from(lineOf(body)))
  file.close()
  expect((await readdir(folder)).sort()).toEqual(['calls.4.ndjson.gz', 'calls.5.ndjson', 'calls.ndjson'])
  expect(await bodiesOf(path)).toEqual(['old', 'one', 'two'])
})

/** Bodies of a followed recording. `looks` change the folder between looks at it; the last one ends the events. */
async function followedBodies(path: string, looks: readonly (() => unknown)[] = []): Promise<string[]> {
  const ending = new AbortController()
  const changes = looks.values()
  const sleep = async () => {
    const { done, value: change } = changes.next()
    if (done === true) ending.abort()
    else await change()
  }
  const bodies: string[] = []
  const options = { clock: { sleep }, signal: ending.signal, onCaughtUp: () => {} }
  for await (const { body } of followRecording(path, options)) bodies.push(body)
  return bodies
}

test('a recording is followed from rotated files that were compressed', async () => {
  const folder = await temporaryFolder({
    'calls.1.ndjson.gz': gzipSync(lineOf('old')),
    'calls.ndjson': lineOf('now'),
  })
  expect(await followedBodies(join(folder, 'calls.ndjson'))).toEqual(['old', 'now'])
})

test('a closed file that is moved away between listing and reading is read', async () => {
  const names = ['calls.1.ndjson', 'calls.2.ndjson', 'calls.ndjson']
  const folder = await temporaryFolder(Object.fromEntries(names.map(name => [name, lineOf(name)])))
  const ending = new AbortController()
  const options = {
    clock: { sleep: async () => ending.abort() },
    signal: ending.signal,
    onCaughtUp: () => {},
  }
  const bodies: string[] = []
  for await (const { body } of followRecording(join(folder, 'calls.ndjson'), options)) {
    bodies.push(body)
    await rm(join(folder, 'calls.2.ndjson'), { force: true })
  }
  expect(bodies).toEqual(names)
})

describe('between two looks at a followed recording', () => {
  async function recording() {
    const path = join(await temporaryFolder(), 'calls.ndjson')
    const file = openRecordingFile({ path, rotate: 10, onEvent: () => {} })
    onTestFinished(() => file.close())
    const rotated = (number: number) => path.replace('.ndjson', `.${number}.ndjson`)
    return {
      path,
      rotated,
      append: (...bodies: string[]) => {
        for (const body of bodies) file.append(Buffer.from(lineOf(body)))
      },
      async compress(number: number) {
        await writeFile(`${rotated(number)}.gz`, gzipSync(await readFile(rotated(number))))
        await rm(rotated(number))
      },
    }
  }

  test('each event is read once if files are closed', async () => {
    const { path, append } = await recording()
    append('1')
    const looks = [() => append('2', '3'), () => append('4', '5', '6'), () => append('7')]
    expect(await followedBodies(path, looks)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })

  test('no event is lost if closed files are moved away or compressed', async () => {
    const { path, append, rotated, compress } = await recording()
    append('0', '1')
    const looks = [
      () => append('2'),
      async () => {
        append('3', '4', '5')
        await rm(rotated(3))
        await compress(4)
      },
    ]
    expect(await followedBodies(path, looks)).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  test('a file that was closed and compressed at once is read again rather than skipped', async () => {
    const { path, append, compress } = await recording()
    append('1')
    const looks = [
      async () => {
        append('2', '3')
        await compress(1)
      },
    ]
    expect(await followedBodies(path, looks)).toEqual(['1', '1', '2', '3'])
  })

  test('each event is read once if the file is removed', async () => {
    const { path, append } = await recording()
    append('1')
    const looks = [
      async () => {
        await rm(path)
        append('2', '3', '4')
      },
    ]
    expect(await followedBodies(path, looks)).toEqual(['1', '2', '3', '4'])
  })
})

test('report, show and replay read it', async () => {
  const cli = await testCli()
  await writeFile(join(cli.folder, 'calls.ndjson.gz'), gzipSync(text))
  const report = await cli.run('report', 'calls.ndjson.gz', '--format', 'json')
  expect(JSON.parse(report.stdout).calls).toBe(events.length)
  const shown = await cli.run('webhook', 'show', 'calls.ndjson.gz', '--call', 'CC-2999')
  expect(shown.stdout).toContain('Hello 2999')
  expect((await cli.run('webhook', 'replay', 'calls.ndjson.gz', '--call', 'CC-7')).stdout).toContain(
    'Hello 7',
  )
  async function* input() {
    yield gzipSync(text).subarray(0, 1)
    yield gzipSync(text).subarray(1)
  }
  const piped = await cli.runWith({ input: input() }, 'report', '-', '--format', 'json')
  expect(JSON.parse(piped.stdout).calls).toBe(events.length)
  const pipedCall = await cli.runWith({ input: input() }, 'webhook', 'show', '-', '--call', 'CC-2999')
  expect(pipedCall).toMatchObject({ exitCode: 0, stdout: shown.stdout })
  const replayed = await cli.runWith({ input: input() }, 'webhook', 'replay', '-', '--call', 'CC-7')
  expect(replayed.stdout).toContain('Hello 7')
})
