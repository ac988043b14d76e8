import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readRecording } from '../../src/recordings/read-recording.ts'
import { testCli } from '../helpers/test-cli.ts'
import { conversationUpdate, message } from '../webhook/events.ts'
import { recordingFile } from './recordings.ts'

const events = Array.from({ length: 3000 }, (_, index) =>
  conversationUpdate(`CC-${index}`, message('m1', `Hello ${index}: ${Math.sin(index)}`)),
)
const text = recordingFile(...events)

async function write(content: string | Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-gzip-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'calls.ndjson.gz')
  await writeFile(path, content)
  return path
}

async function countEvents(path: string): Promise<number> {
  let count = 0
  for await (const item of readRecording(path)) if (item.kind === 'recorded') count++
  return count
}

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
    ...{ kind: 'usage', code: 'recording-damaged', details: { isTruncated: true } },
  })
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 1000, 2000)
  await expect(countEvents(await write(damaged))).rejects.toMatchObject({
    ...{ kind: 'usage', code: 'recording-damaged', details: { isTruncated: false } },
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
})
