import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ftruncateSync, writeSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import type { TailEvent } from '../../../src/events/receive/index.ts'
import { loadRecorder } from '../../../src/events/recordings/index.ts'
import type { Disk } from '../../../src/lib/fs/line-file.ts'
import { conversationUpdate, message } from '../../helpers/events.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { type HttpTail, type HttpTailOptions, openHttpTail } from '../../helpers/http-tail.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { post } from '../../helpers/target-server.ts'
import { startForwarding, to } from '../forward/forwarding.ts'

const { openRecorder } = await loadRecorder()

test('responds while stdout is not read, then rejects before it would drop events', async () => {
  const tail = await open({ maxWaiting: 500 })
  const statuses: number[] = []
  for (let index = 0; index < 20; index++) {
    statuses.push(await post(tail.url, conversationUpdate('c1', message(`m${index}`, 'word '.repeat(10)))))
  }
  const accepted = statuses.filter(status => status === 200).length
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  await tail.close()
  const events = await all(tail)
  expect(events.filter(({ kind }) => kind === 'message')).toHaveLength(accepted)
  expect(events.at(-1)).toMatchObject({ kind: 'summary', messages: accepted, badRequests: 20 - accepted })
})

test('records and journals an event before its response starts', async () => {
  const folder = await temporaryFolder()
  const answers = watchAnswers()
  const written: { readonly bytes: string; readonly answered: boolean }[] = []
  const disk: Disk = {
    write(file, bytes) {
      written.push({ bytes: Buffer.from(bytes).toString('utf8'), answered: answers.haveBegun() })
      return writeSync(file, bytes)
    },
    truncate: ftruncateSync,
  }
  const path = join(folder, 'calls.ndjson')
  const recorder = await openRecorder({ path, clock: patientClock(), disk, onEvent: () => undefined })
  onTestFinished(async () => void (await recorder.close()))
  const { forwarder } = await startForwarding({ targets: [to('http://127.0.0.1:9/')], disk, starts: false })
  const tail = await open({ recorder, forwarder })
  expect(await post(tail.url, conversationUpdate('c1', message('m1', 'hello')))).toBe(200)
  const event = written.filter(({ bytes }) => bytes.includes('hello'))
  expect(event.map(({ answered }) => answered)).toEqual([false, false])
  expect(answers.haveBegun()).toBe(true)
})

test('may be closed more than once', async () => {
  const tail = await open()
  await Promise.all([tail.close(), tail.close()])
  expect((await all(tail)).map(({ kind }) => kind)).toEqual(['ready', 'summary'])
})

async function open(options: Partial<HttpTailOptions> = {}): Promise<HttpTail> {
  const tail = await openHttpTail({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    clock: patientClock(),
    ...options,
  })
  onTestFinished(() => tail.close())
  return tail
}

/** True if any server in this process has created the head of a response. */
function watchAnswers(): { haveBegun(): boolean } {
  const responses: ServerResponse[] = []
  const onStart = (message: unknown) => {
    responses.push(started.parse(message).response)
  }
  subscribe('http.server.request.start', onStart)
  onTestFinished(() => void unsubscribe('http.server.request.start', onStart))
  return { haveBegun: () => responses.some(({ headersSent }) => headersSent) }
}

const started = z.object({ response: z.instanceof(ServerResponse) })

async function all({ events }: HttpTail): Promise<TailEvent[]> {
  const taken: TailEvent[] = []
  for await (const event of events) taken.push(event)
  return taken
}
