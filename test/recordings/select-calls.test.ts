import { expect, test } from 'vitest'
import { readTranscripts } from '../../src/recordings/read-recording.ts'
import type { RecordingItem } from '../../src/recordings/recording-file.ts'
import { selectCalls } from '../../src/recordings/select-calls.ts'
import { conversationUpdate, message, statusUpdate } from '../webhook/events.ts'

const bodies = [
  conversationUpdate(undefined, message('a', 'first without id')),
  statusUpdate('CC-12', 'ongoing'),
  statusUpdate('CC-13', 'ongoing'),
  conversationUpdate(undefined, message('b', 'second without id')),
  conversationUpdate('CC-12', message('m1', 'said in CC-12')),
  { message: { type: 'note' } },
]

async function* items(): AsyncGenerator<RecordingItem> {
  const at = '2026-03-01T10:00:00.000Z'
  for (const body of bodies)
    yield { kind: 'recorded', version: 1, at, headers: {}, body: JSON.stringify(body) }
}

test.each([
  [{ last: true }, [2]],
  [{ calls: ['CC-12'] }, ['CC-12']],
  [{ calls: ['CC-13', '-1'] }, ['CC-13', 1]],
  [{ calls: ['-'] }, [0]],
  [{ calls: ['CC-1'] }, undefined],
  [{ calls: ['CC-9'] }, undefined],
  [{}, undefined],
])('%o finds calls by name', async (choice, keys) => {
  expect(await selectCalls(items(), choice)).toEqual(keys && new Set(keys))
})

test('reads only the chosen calls, under their names among all', async () => {
  const all = await readTranscripts(items())
  for (const call of all.calls) {
    const key = call.callId ?? call.conversation ?? 0
    const only = await readTranscripts(items(), { only: new Set([key]) })
    expect(only.calls).toEqual([call])
  }
  expect(all.calls).toHaveLength(5)
})
