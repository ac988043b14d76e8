import { expect, test } from 'vitest'
import { collectMetadata } from '../../../src/cli/shell/flags/option-parsers.ts'
import { loadTriggerEvents, parsePath } from '../../../src/events/trigger/index.ts'

const { eventsToTrigger } = await loadTriggerEvents()

type Options = Partial<Parameters<typeof eventsToTrigger>[1]>
type Fields = Readonly<Record<string, unknown>>

/** Messages of a call of three messages. */
function messagesOf(options: Options = {}): readonly Fields[] {
  const events = eventsToTrigger('call', { call: 'CC-1', messages: 3, now: 1_772_359_200_000, ...options })
  return events.map(({ event }) => event.message as Fields)
}

function changed(text: string, allowUnknown = false): readonly Fields[] {
  const [name = '', typed = ''] = text.split(/=(.*)/s)
  const path = parsePath(name)
  if (path === undefined) throw new Error(`${name} is no path`)
  const { value } = collectMetadata(`value=${typed}`)
  return messagesOf({ set: [{ path, value }], allowUnknown })
}

function valueAt(value: unknown, [step, ...more]: readonly (string | number)[]): unknown {
  if (step === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  return valueAt(new Map<unknown, unknown>(Object.entries(value)).get(String(step)), more)
}

/** Which events of queued, ongoing, 1, 2, 3 messages, finished hold this value. */
function where(after: readonly Fields[], path: readonly (string | number)[], value: unknown): number[] {
  return after.flatMap((message, index) =>
    JSON.stringify(valueAt(message, path)) === JSON.stringify(value) ? [index] : [],
  )
}

test.each([
  ['call.userNumber=+12025550142', ['call', 'userNumber'], '+12025550142', [0, 1, 2, 3, 4, 5]],
  ['call.endAt=2026-03-01T11:00:00Z', ['call', 'endAt'], '2026-03-01T11:00:00Z', [5]],
  ['messages[1].text=Hi', ['messages', 1, 'text'], 'Hi', [3, 4]],
  ['analysis.summary=short', ['analysis', 'summary'], 'short', [5]],
  ['analysis.structuredData={"a":[1]}', ['analysis', 'structuredData'], { a: [1] }, [5]],
  ['customer=null', ['customer'], null, [0, 1, 2, 3, 4, 5]],
])('--set %s changes the events that have most of the path', (text, path, value, expected) => {
  expect(where(changed(text), path, value)).toEqual(expected)
})

test.each([
  ['call.id=6650', 6650],
  ['call.id="6650"', '6650'],
  ['call.id=null', null],
  ['call.id=[1,"a"]', [1, 'a']],
  ['call.id={"id":"not looked into"}', { id: 'not looked into' }],
  ['call.id=true', true],
  ['call.id=', ''],
  ['call.id=007', '007'],
  ['call.id=+12025550123', '+12025550123'],
  ['call.id=12345678901234567890', '12345678901234567890'],
  ['call.id=[1', '[1'],
])('--set %s is JSON where it reads as such', (text, value) => {
  expect(changed(text)[0]).toHaveProperty('call.id', value)
})

test.each([
  ['call=7', ['call'], 7],
  ['call={}', ['call'], {}],
  ['messages={}', ['messages'], {}],
  ['messages=none', ['messages'], 'none'],
  ['analysis=good', ['analysis'], 'good'],
  ['assistant=a1', ['assistant'], 'a1'],
  ['customer={"number":1}', ['customer'], { number: 1 }],
  ['type=null', ['type'], null],
  ['type=call-summary', ['type'], 'call-summary'],
])('--set %s makes the shape, also beside what the interface shows', (text, path, value) => {
  expect(where(changed(text), path, value).length).toBeGreaterThan(0)
})

test('--unset leaves a field out of every event that has it', () => {
  expect(messagesOf({ unset: [['call']] }).map(message => Object.keys(message))).toEqual(
    messagesOf().map(message => Object.keys(message).filter(name => name !== 'call')),
  )
  const [, , first] = messagesOf({ unset: [['messages', 0, 'messageId']] })
  expect(first).toHaveProperty('messages[0].role', 'assistant')
  expect(first).not.toHaveProperty('messages[0].messageId')
  expect(() => messagesOf({ unset: [['call', 'ID']] })).toThrow(
    expect.objectContaining({ kind: 'usage', code: 'field-not-there', details: { path: 'call.ID' } }),
  )
})

test.each([
  ['cal.id=x', 'did you mean call.id?'],
  ['status=ongoing', 'did you mean call.status?'],
  ['userNumber=+12025550142', 'did you mean call.userNumber?'],
  ['number=1', 'did you mean customer.number?'],
  ['message.call.id=x', 'use call.id'],
  ['zzzzzz=1', 'it has type, call, assistant, customer, analysis, messages'],
  ['toString=1', '; to send it anyway, allow unknown fields'],
  ['call.staus=ongoing', 'did you mean call.status?'],
  ['call.analysis.sumary=x', 'did you mean call.analysis.summary?'],
  ['call.monitor.url=x', 'it has controlUrl'],
  ['call.monitor.controlurl=x', 'did you mean call.monitor.controlUrl?'],
  ['call={"idd":1}', 'did you mean call.id?'],
  ['messages[2].txt=x', 'did you mean messages[2].text?'],
  ['messages=[{"rôle":"user"}]', 'did you mean messages[0].role?'],
  ['messages.text=x', 'add an index: messages[0].text'],
  ['call[0].id=x', 'remove the index'],
  ['assistant.config.speech.ttsData[0].voise=x', 'did you mean assistant.config.speech.ttsData[0].voice?'],
  ['assistant.nam=x', 'did you mean assistant.name?'],
  ['assistant.callForwardData[0].nme=x', 'did you mean assistant.callForwardData[0].name?'],
  ['assistant.callForwardData.nme=x', 'did you mean assistant.callForwardData.name?'],
])('rejects --set %s with a hint', (text, hint) => {
  expect(() => changed(text)).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }))
})

test.each([
  'analysis.structuredData.anything.at=all',
  'assistant.assistantServer.secret=x',
  'assistant._id=a1',
  'assistant.assistantAnalysis.structuredData.schema.properties.day.type=string',
  'assistant.startSpeakingOptions.RtcBaseValue=1',
  'messages[0]={"messageId":1,"role":"user","text":"Hi","timestamp":0}',
])('--set %s needs no --allow-unknown', text => {
  expect(() => changed(text)).not.toThrow()
})

test('an unknown field passes when it is allowed', () => {
  expect(where(changed('call.metadata.order=7', true), ['call', 'metadata', 'order'], 7)).toHaveLength(6)
  expect(where(changed('priority=7', true), ['priority'], 7)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a missing message is rejected with a hint how to get it', () => {
  expect(() => changed('messages[9].text=Hi')).toThrow(
    expect.objectContaining({
      ...{ kind: 'usage', code: 'field-not-made' },
      message: 'messages[9].text: messages ends at [0], so [1] is the next',
      hint: 'change the number of messages',
    }),
  )
})
