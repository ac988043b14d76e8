import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TranscriptFile } from '../../../../../src/cli/commands/call/chat/flags.ts'
import { createTranscript, openTranscript } from '../../../../../src/cli/commands/call/chat/transcript.ts'
import type { ChatEvent } from '../../../../../src/cli/shell/render/chat-events.ts'
import { errorOf } from '../../../../helpers/errors.ts'
import { temporaryFolder } from '../../../../helpers/folders.ts'
import { jsonLines } from '../../../../helpers/json-lines.ts'

const callId = 'CC-1'
const timestamp = '2026-01-01T00:00:01.000Z'
const queued: ChatEvent = {
  kind: 'status',
  callId,
  status: 'queued',
  record: { status: 'queued', createdAt: '2026-01-01T00:00:00.000Z' },
}
const hello: ChatEvent = {
  kind: 'message',
  callId,
  messageId: 'm1',
  role: 'user',
  text: 'Hello\nyou',
  timestamp,
}
const answer: ChatEvent = {
  kind: 'message',
  callId,
  messageId: 'm2',
  role: 'assistant',
  text: 'Good \u001b[31mmorning',
  timestamp,
  interrupted: true,
}
const finished: ChatEvent = {
  kind: 'status',
  callId,
  status: 'finished',
  record: { status: 'completed', callEndTriggerBy: 'user', endAt: '2026-01-01T00:01:00.000Z' },
}

test('text is what is printed, without colors and control characters', async () => {
  const { path, transcript } = await opened('text')
  for (const event of [queued, hello, answer, finished]) transcript.write(event)
  transcript.close()
  expect(await readFile(path, 'utf8')).toBe(
    [
      '── CC-1 · queued',
      'user       Hello',
      '           you',
      'assistant  Good \\x1b[31mmorning',
      '           (cut short)',
      '── CC-1 · finished · ended by user',
      '',
    ].join('\n'),
  )
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test.each([
  ['json', (text: string) => JSON.parse(text)],
  ['ndjson', jsonLines],
] as const)('%s holds whole events after each one', async (format, parse) => {
  const events = [queued, hello, answer, finished]
  for (const [index] of events.entries()) {
    const { path, transcript } = await opened(format)
    const written = events.slice(0, index + 1)
    for (const event of written) transcript.write(event)
    transcript.close()
    expect(parse(await readFile(path, 'utf8'))).toEqual(written)
  }
})

test('a file into which nothing was written is removed', async () => {
  const { path, transcript } = await opened('text')
  transcript.close()
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a full disk leaves a complete file, and is reported at the end', async () => {
  const disk = smallDisk(400)
  const transcript = createTranscript({ file: 'call.json', format: 'json' }, disk.file)
  for (const event of [queued, hello, answer, finished]) transcript.write(event)
  expect(await errorOf(() => transcript.close())).toMatchObject({
    kind: 'partial',
    message: expect.stringContaining('no space left'),
  })
  expect(JSON.parse(disk.content())).toEqual([queued, hello])
})

/** A file that can hold `space` bytes; what goes beyond is written in part. */
function smallDisk(space: number) {
  const bytes = Buffer.alloc(space)
  let size = 0
  return {
    content: () => bytes.toString('utf8', 0, size),
    file: {
      write(from: Uint8Array, position: number) {
        const room = Math.min(from.length, space - position)
        if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
        bytes.set(from.subarray(0, room), position)
        size = Math.max(size, position + room)
        return room
      },
      truncate(length: number) {
        size = length
      },
      close() {},
      remove() {},
    },
  }
}

async function opened(format: TranscriptFile['format']) {
  const path = join(await temporaryFolder(), 'call')
  return { path, transcript: openTranscript({ file: path, format }) }
}
