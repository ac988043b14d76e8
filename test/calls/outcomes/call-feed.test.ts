import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CallUpdate, followDeliveries, listenForCalls } from '../../../src/calls/outcomes/index.ts'
import { receiveOverHttp } from '../../../src/events/receive/index.ts'
import { loadRecorder, type RecordedEvent, readRecording } from '../../../src/events/recordings/index.ts'
import { conversationUpdate } from '../../helpers/events.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { post } from '../../helpers/target-server.ts'

async function* recordedEvents(path: string): AsyncGenerator<RecordedEvent, undefined> {
  if (existsSync(path)) for await (const item of readRecording(path)) if (item.kind === 'recorded') yield item
}

/** Listens with a recording, as each run of a batch does. */
async function openRuns() {
  const recording = join(await temporaryFolder(), 'events.ndjson')
  const { openRecorder } = await loadRecorder()
  return async () => {
    const recorder = await openRecorder({ path: recording, clock: realClock, onEvent: () => undefined })
    const feed = await listenForCalls({
      ...{ clock: realClock, recorder, recorded: recordedEvents(recording), onTailEvent: () => undefined },
      source: receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/', clock: realClock }),
    })
    const updates: CallUpdate[] = []
    const send = async (call: object) => {
      const event = { message: { type: 'status-update', call, analysis: {} } }
      expect(await post(feed.source.address, event)).toBe(200)
    }
    return {
      updates,
      address: feed.source.address,
      send,
      start: () => feed.start(update => updates.push(update)),
      async close() {
        await feed.close()
        await recorder.close()
      },
    }
  }
}

const numbers = { userNumber: '+12025550101', assistantNumber: '+12025550100' }

test('a call that began in an earlier run ends with what its earlier events told', async () => {
  const open = await openRuns()
  const first = await open()
  await first.start()
  await first.send({ ...numbers, id: 'CC-1', status: 'ongoing' })
  await first.close()
  const second = await open()
  await second.start()
  await second.send({ ...numbers, id: 'CC-1', status: 'finished' })
  expect(second.updates.at(-1)?.ended).toMatchObject({ outcome: 'answered' })
  await second.close()
})

test('a call without an id is not mixed up with one of an earlier run', async () => {
  const open = await openRuns()
  const first = await open()
  await first.start()
  await first.send({ ...numbers, status: 'finished', phoneCallStatus: 'busy' })
  await first.close()
  const second = await open()
  await second.start()
  await second.send({ ...numbers, userNumber: '+12025550102', status: 'queued' })
  expect(second.updates.at(-1)).toMatchObject({ userNumber: '+12025550102', phase: 'queued' })
  await second.close()
})

test.each(['user', 'User', 'caller'])(
  'the lines of the role %s are those of the person who was called',
  async role => {
    const run = await (await openRuns())()
    await run.start()
    const messages = [
      { role: 'agent', text: 'Hello.' },
      { role, text: 'Stop calling me.' },
    ]
    expect(await post(run.address, conversationUpdate('CC-1', ...messages))).toBe(200)
    expect(run.updates.at(-1)?.userLines).toEqual(['Stop calling me.'])
    await run.close()
  },
)

test('an event that arrives before the recorded ones are read is taken after them', async () => {
  const open = await openRuns()
  const first = await open()
  await first.send({ ...numbers, id: 'CC-1', status: 'ongoing' })
  await first.close()
  const second = await open()
  await second.send({ ...numbers, id: 'CC-1', status: 'finished' })
  await second.start()
  expect(second.updates.map(({ phase }) => phase).slice(0, 1)).toEqual(['talking'])
  expect(second.updates.at(-1)?.ended).toMatchObject({ outcome: 'answered' })
  await second.close()
})

test('a delivery that cannot be read is reported, and the error of their source is that of the feed', async () => {
  async function* deliveries() {
    const at = '2026-03-01T10:00:00.000Z'
    yield { at, headers: {}, body: Buffer.from('not JSON') }
    const event = { message: { type: 'status-update', call: { ...numbers, id: 'CC-1', status: 'finished' } } }
    yield { at, headers: {}, body: Buffer.from(JSON.stringify(event)) }
    throw new Error('the stream is gone')
  }
  const [reasons, updates]: [string[], CallUpdate[]] = [[], []]
  const feed = followDeliveries(deliveries(), { onUnreadable: reason => reasons.push(reason) })
  await feed.start(update => updates.push(update))
  await expect(feed.failed).rejects.toThrow('the stream is gone')
  expect(reasons).toEqual([expect.stringContaining('JSON')])
  expect(updates).toMatchObject([
    { callId: 'CC-1', at: Date.parse('2026-03-01T10:00:00.000Z'), phase: 'ended' },
  ])
  await feed.close()
})
