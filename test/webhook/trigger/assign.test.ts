import { expect, test } from 'vitest'
import { collectMetadata } from '../../../src/commands/option-parsers.ts'
import { assignAll } from '../../../src/webhook/trigger/assign.ts'
import { checkEvent } from '../../../src/webhook/trigger/check-event.ts'
import { parsePath, valueAt } from '../../../src/webhook/trigger/field-path.ts'
import { sampleCall } from '../../../src/webhook/trigger/sample-call.ts'
import { type SampleEvent, sampleSequence } from '../../../src/webhook/trigger/sample-events.ts'

const events = sampleSequence(sampleCall({ id: 'CC-1', messages: 3, now: 1_772_359_200_000 }))

function changed(text: string, allowUnknown = false): SampleEvent[] {
  const [name = '', typed = ''] = text.split(/=(.*)/s)
  const path = parsePath(name)
  if (path === undefined) throw new Error(`${name} is no path`)
  const { value } = collectMetadata(`value=${typed}`)
  return assignAll(events, [{ path, text: typed, value }], { allowUnknown })
}

/** Which events of queued, ongoing, 1, 2, 3 messages, finished hold this value. */
function where(after: readonly SampleEvent[], path: readonly (string | number)[], value: unknown): number[] {
  return after.flatMap(({ message }, index) =>
    JSON.stringify(valueAt(message, path)) === JSON.stringify(value) ? [index] : [],
  )
}

test.each([
  ['call.userNumber=+12025550142', ['call', 'userNumber'], '+12025550142', [0, 1, 2, 3, 4, 5]],
  ['call.endAt=2026-03-01T11:00:00Z', ['call', 'endAt'], '2026-03-01T11:00:00Z', [5]],
  ['messages[1].text=Hi', ['messages', 1, 'text'], 'Hi', [3, 4]],
  ['analysis.summary=short', ['analysis', 'summary'], 'short', [5]],
  ['call.custom={"a":[1]}', ['call', 'custom'], { a: [1] }, [0, 1, 2, 3, 4, 5]],
  ['customer=null', ['customer'], null, [0, 1, 2, 3, 4, 5]],
])('--set %s changes the events that have most of the path', (text, path, value, expected) => {
  expect(where(changed(text), path, value)).toEqual(expected)
})

test('text stays text where the sample has text; elsewhere JSON is JSON', () => {
  expect(changed('call.assistantId=6650')[0]?.message).toHaveProperty('call.assistantId', '6650')
  expect(changed('call.assistantId="6650"')[0]?.message).toHaveProperty('call.assistantId', '6650')
  expect(changed('call.assistantId=null')[0]?.message).toHaveProperty('call.assistantId', null)
  expect(changed('call.priority=7')[0]?.message).toHaveProperty('call.priority', 7)
})

test.each([
  ['cal.id=x', 'did you mean call.id?'],
  ['status=ongoing', 'did you mean call.status?'],
  ['userNumber=+12025550142', 'did you mean call.userNumber?'],
  ['number=1', 'did you mean customer.number?'],
  ['message.call.id=x', 'leave the first name out: call.id'],
  ['zzzzzz=1', 'it has type, call, assistant, customer, analysis, messages'],
  ['toString=1', 'it has type'],
])('--set %s is refused with a hint', (text, hint) => {
  expect(() => changed(text)).toThrow(
    expect.objectContaining({ kind: 'usage', hint: expect.stringContaining(hint) }),
  )
})

test('an unknown field passes when it is allowed', () => {
  expect(where(changed('priority=7', true), ['priority'], 7)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a message that is not there is refused, and says how to get it', () => {
  expect(() => changed('messages[9].text=Hi')).toThrow(
    expect.objectContaining({ kind: 'usage', hint: expect.stringContaining('--messages') }),
  )
})

test.each([
  ['call=7', 'call must be an object'],
  ['call={}', 'call.id must be text'],
  ['messages={}', 'messages must be a list'],
  ['messages[0]={}', 'messages[0].messageId must be text'],
  ['analysis.summary={"a":1}', undefined],
  ['analysis={"summary":1}', 'analysis.summary must be text'],
  ['customer={"number":1}', 'customer.number must be text'],
  ['type=null', 'type must be text'],
])('--set %s is checked with the schema', (text, problem) => {
  const check = () => {
    for (const event of changed(text)) checkEvent(event)
  }
  if (problem === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining({ kind: 'usage', message: `--set: ${problem}` }))
})
