import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assistantModels, assistantProviders, assistantSchema } from '../../src/interface/assistant.ts'
import { check } from '../../src/interface/check.ts'
import { toWire, withDefaults } from '../../src/interface/vocabulary.ts'

const schema = assistantSchema()
const codes = (fields: Record<string, unknown>) =>
  check(schema, { name: 'Ada', ...fields }).map(({ code, path }) => `${code} ${path.join('.')}`)

describe('limits of interface.md 8: each end is allowed, one past it is found', () => {
  test.each([
    ['maxCallDuration', 1, 120],
    ['idleTimeout', 5, 600],
    ['maxIdleMessagesInSequence', 1, 5],
    ['backgroundSoundVolume', 1, 100],
  ])('%s from %i to %i', (field, lowest, highest) => {
    expect(codes({ [field]: lowest })).toEqual([])
    expect(codes({ [field]: highest })).toEqual([])
    expect(codes({ [field]: lowest - 1 })).toEqual([`out-of-range ${field}`])
    expect(codes({ [field]: highest + 1 })).toEqual([`out-of-range ${field}`])
    expect(codes({ [field]: String(lowest) })).toEqual([`wrong-type ${field}`])
    expect(codes({ [field]: null })).toEqual([`wrong-type ${field}`])
  })

  test.each(['maxCallDuration', 'idleTimeout', 'maxIdleMessagesInSequence', 'assistantMaxTokens'])(
    '%s is a whole number',
    field => {
      expect(codes({ [field]: 5.5 })).toEqual([`wrong-type ${field}`])
    },
  )

  test('backgroundSound is enable, disable or an https URL of at most 1000 characters', () => {
    const url = (length: number) => `https://${'a'.repeat(length - 8)}`
    // Each of these has two units of UTF-16.
    const wide = `https://${'\u{1f600}'.repeat(992)}`
    for (const sound of ['enable', 'disable', url(1000), wide])
      expect(codes({ backgroundSound: sound })).toEqual([])
    for (const sound of [url(1001), `${wide}a`, 'http://a.test/x.mp3', 'on', true]) {
      expect(check(schema, { name: 'Ada', backgroundSound: sound })).toMatchObject([
        {
          path: ['backgroundSound'],
          message: expect.stringContaining('one of enable, disable, or text that starts'),
        },
      ])
    }
  })
})

test.each([
  ['welcomeMessageMode', ['assistant-speaks-first', 'assistant-waits-for-user', 'automatic']],
  ['assistantProvider', assistantProviders.filter(word => word !== 'custom-llm')],
  ['assistantModel', assistantModels],
  ['ttsAudioCacheScope', ['assistant', 'team']],
  ['assistantType', ['single_prompt', 'workflow_based']],
])('%s accepts only its vocabulary', (field, words) => {
  for (const word of words) expect(codes({ [field]: word })).toEqual([])
  expect(codes({ [field]: 'other' })).toEqual([`not-allowed ${field}`])
  expect(codes({ [field]: 1 })).toEqual([`not-allowed ${field}`])
})

test('only the name is required', () => {
  expect(check(schema, {}).map(({ code, path }) => [code, ...path])).toEqual([['missing', 'name']])
})

test.each([
  ['assistantKnowledgeBaseIds', ['kb'], 'knowledgeBase'],
  ['endCallMessage', 'Bye', 'endCall'],
  ['endCallToolDescription', 'Ends', 'endCall'],
  ['endCallPhrases', ['bye'], 'endCall'],
])('%s only when its built-in tool is enabled', (field, value, tool) => {
  expect(codes({ [field]: value })).toEqual([`needs ${field}`])
  expect(codes({ [field]: value, assistantPredefinedTools: { [tool]: false } })).toEqual([`needs ${field}`])
  expect(codes({ [field]: value, assistantPredefinedTools: { [tool]: true } })).toEqual([])
})

test('custom-llm needs its URL; global is deprecated', () => {
  expect(codes({ assistantProvider: 'custom-llm' })).toEqual(['needs assistantProvider'])
  expect(codes({ assistantProvider: 'custom-llm', assistantLLMUrl: 'https://llm.test' })).toEqual([])
  expect(check(schema, { name: 'a', ttsAudioCacheScope: 'global' })).toMatchObject([
    { code: 'deprecated', severity: 'warning' },
  ])
})

test('rules are reported beside wrong fields, all at once', () => {
  expect(codes({ endCallMessage: 'Bye', idleTimeout: 3, hints: 'x' })).toEqual(
    expect.arrayContaining(['needs endCallMessage', 'out-of-range idleTimeout', 'wrong-type hints']),
  )
})

test('callForwardData is one target or a list; a mistake is found in its form', () => {
  const target = { phoneNumber: '+12025550101', extension: '1', name: 'Desk' }
  expect(codes({ callForwardData: target })).toEqual([])
  expect(codes({ callForwardData: [target, {}] })).toEqual([])
  expect(codes({ callForwardData: { nam: 'x' } })).toEqual(['unknown-key callForwardData.nam'])
  expect(codes({ callForwardData: [target, { name: 1 }] })).toEqual(['wrong-type callForwardData.1.name'])
})

test('the defaults of interface.md 2.1, and no other', () => {
  expect(withDefaults(schema, { name: 'Ada', idleTimeout: 60 })).toEqual({
    name: 'Ada',
    welcomeMessage: 'hi',
    welcomeMessageMode: 'automatic',
    welcomeMessageInterruptionsEnabled: false,
    assistantProvider: '<provider_2>',
    assistantModel: '<model_3>',
    assistantTemperature: 0,
    assistantMaxTokens: 256,
    backgroundSound: 'disable',
    backgroundSoundVolume: 50,
    idleTimeout: 60,
    assistantType: 'single_prompt',
  })
})

test('the vocabulary accepts either word in files and sends the real one', () => {
  const own = assistantSchema({ '<provider_1>': 'acme', '<vendor>': 'voxco', Rtc: 'Acme', Service: 'Smart' })
  const body = {
    name: 'Service',
    assistantProvider: '<provider_1>',
    startSpeakingOptions: { RtcBaseValue: 1, AcmeScaleValue: 2, smartEndpointing: 'Service' },
    config: { speech: { stt: { vendor: '<vendor>' }, ttsData: [{ vendor: '<vendor>', voice: '<vendor>' }] } },
  }
  expect(check(own, body)).toEqual([])
  expect(toWire(own, body)).toEqual({
    name: 'Service',
    assistantProvider: 'acme',
    startSpeakingOptions: { AcmeBaseValue: 1, AcmeScaleValue: 2, smartEndpointing: 'Smart' },
    config: { speech: { stt: { vendor: 'voxco' }, ttsData: [{ vendor: 'voxco', voice: '<vendor>' }] } },
  })
  expect(check(schema, { name: 'a', assistantProvider: 'acme' })).toHaveLength(1)
})

test('does not copy what is sent unchanged', () => {
  const own = assistantSchema({ '<provider_1>': 'acme' })
  const config = { speech: { ttsData: [{ voice: 'a' }] } }
  const plain = { name: 'Service', config }
  expect(toWire(own, plain)).toBe(plain)
  expect(toWire(own, { ...plain, assistantProvider: '<provider_1>' })).toHaveProperty('config', config)
})

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const assistant = fc.record(
  {
    name: fc.string(),
    welcomeMessageMode: fc.constantFrom('assistant-speaks-first', 'assistant-waits-for-user', 'automatic'),
    assistantModel: fc.constantFrom(...assistantModels),
    assistantTemperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    maxCallDuration: fc.integer({ min: 1, max: 120 }),
    idleTimeout: fc.integer({ min: 5, max: 600 }),
    maxIdleMessagesInSequence: fc.integer({ min: 1, max: 5 }),
    backgroundSoundVolume: fc.double({ min: 1, max: 100, noNaN: true }),
    backgroundSound: fc.constantFrom('enable', 'disable', 'https://sound.test/a.mp3'),
    hints: fc.array(fc.string()),
    startSpeakingOptions: fc.record({
      waitSeconds: optional(fc.integer()),
      RtcBaseValue: optional(fc.integer()),
    }),
    stopSpeakingOptions: fc.record({ numberOfWords: fc.integer() }),
    userInterruptionAckPlan: fc.record({ enabled: fc.boolean(), phrases: fc.array(fc.string()) }),
    assistantOverrides: fc.record({
      dynamicVariables: fc.dictionary(
        fc.string({ minLength: 1 }).filter(key => key !== '__proto__'),
        fc.string(),
      ),
    }),
    assistantServer: fc.object(),
    persistHistory: fc.record({ enabled: fc.boolean(), retentionPeriod: fc.nat() }),
    assistantAnalysis: fc.record({ summary: fc.record({ enabled: fc.boolean(), timeoutSeconds: fc.nat() }) }),
  },
  { requiredKeys: ['name'] },
)

test('any valid assistant checks clean, and a mistyped field is always found', () => {
  fc.assert(
    fc.property(assistant, value => {
      expect(check(schema, value)).toEqual([])
      expect(check(schema, { ...value, idleTimeot: 30 })).toMatchObject([
        { code: 'unknown-key', hint: 'did you mean idleTimeout?' },
      ])
    }),
  )
})
