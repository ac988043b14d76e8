import { expect, test } from 'vitest'
import { selectCalls } from '../../../src/events/recordings/index.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'
import { readTranscripts, recorded, stream } from '../../helpers/recordings.ts'

const bodies = [
  conversationUpdate(undefined, message('a', 'first without id')),
  statusUpdate('CC-12', 'ongoing'),
  statusUpdate('CC-13', 'ongoing'),
  conversationUpdate(undefined, message('b', 'second without id')),
  conversationUpdate('CC-12', message('m1', 'said in CC-12')),
  { message: { type: 'note' } },
]

const items = () => stream(recorded(...bodies))

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
