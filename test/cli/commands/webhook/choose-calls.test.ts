import { expect, test } from 'vitest'
import { chosenCalls } from '../../../../src/cli/commands/webhook/choose-calls.ts'
import type { CallTranscript } from '../../../../src/events/conversation/index.ts'
import { statusUpdate } from '../../../helpers/events.ts'
import { readTranscripts, recorded, stream } from '../../../helpers/recordings.ts'

/** Calls with these ids, or with these numbers where they have none; null is the events of no call. */
async function callsNamed(...names: readonly (string | number | null)[]): Promise<CallTranscript[]> {
  const { calls } = await readTranscripts(stream(recorded(statusUpdate('CC-1', 'finished'))))
  const [sample] = calls
  if (sample === undefined) throw new Error('no call')
  return names.map(name => ({
    ...sample,
    callId: typeof name === 'string' ? name : null,
    conversation: typeof name === 'number' ? name : null,
  }))
}

test.each([
  ['-1', 1],
  ['-2', 2],
  ['-', null],
  ['CC', 'CC-9'],
])('--call %s selects the call', async (wanted, name) => {
  const calls = await callsNamed(1, 'CC-9', 2, null)
  const [chosen] = chosenCalls(calls, { file: 'rec.ndjson', call: wanted }) ?? []
  expect(chosen?.callId ?? chosen?.conversation ?? null).toBe(name)
})

test('- selects the only call without id, but neither of two', async () => {
  const [first, second] = await callsNamed(1, 2)
  if (first === undefined || second === undefined) throw new Error('no calls')
  expect(chosenCalls([first], { file: 'rec.ndjson', call: '-' })).toEqual([first])
  expect(() => chosenCalls([first, second], { file: 'rec.ndjson', call: '-' })).toThrow(
    expect.objectContaining({ kind: 'usage', hint: 'give more of the id: -1, -2' }),
  )
})

test('the last call is one, not the events of none, unless available: only those', async () => {
  const calls = await callsNamed('CC-1', 2, null)
  expect(chosenCalls(calls, { file: 'rec.ndjson', last: true })).toEqual([calls[1]])
  expect(chosenCalls(calls.slice(2), { file: 'rec.ndjson', last: true })).toEqual([calls[2]])
})
