import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Problem, type SandboxSnapshot } from '../../../src/sandbox/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { callTo, paths, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'

const { assistant: _, ...callee } = callTo()
const snapshot: SandboxSnapshot = {
  format: 'callyard-sandbox',
  version: 1,
  clock: { now: '2026-03-01T09:00:00.000Z' },
  ids: 7,
  requests: 9,
  entries: [
    {
      kind: 'assistant',
      record: {
        _id: 'a1',
        createdAt: '2026-02-01T00:00:00.000Z',
        updatedAt: '2026-02-01T00:00:00.000Z',
        name: 'Desk',
        assistantTemperature: 0.5,
        assistantMaxTokens: 100,
        maxCallDuration: 10,
        idleTimeout: 30,
        maxIdleMessagesInSequence: 2,
        startSpeakingOptions: { waitSeconds: 0.4, onPunctuationSeconds: 0.1 },
        stopSpeakingOptions: { numberOfWords: 1, voiceSeconds: 0.2 },
        userInterruptionAckPlan: { enabled: true, count: 1, words: 2, phrases: ['Yes?'] },
        persistHistory: { enabled: true, retentionPeriod: 30 },
        assistantAnalysis: { summary: { enabled: true, timeoutSeconds: 5 } },
        assistantToolIds: ['t1'],
        assistantPredefinedTools: { knowledgeBase: true, endCall: true },
        assistantKnowledgeBaseIds: ['desk'],
        endCallPhrases: ['Goodbye'],
      },
    },
    {
      kind: 'tool',
      record: {
        _id: 't1',
        updatedAt: '2026-02-01T00:00:00.000Z',
        type: 'function',
        async: false,
        function: { name: 'book', parameters: { type: 'object', properties: { day: { type: 'string' } } } },
        messages: [{ type: 'request-start', content: 'One moment.' }],
      },
    },
    { kind: 'faq', knowledgeBaseId: 'desk', entries: [{ id: 'f1', question: 'When?', answer: 'At nine.' }] },
    {
      kind: 'call',
      record: {
        id: 'CC-1',
        teamId: 'team-1',
        direction: 'outbound',
        createdAt: '2026-02-01T00:00:00.000Z',
        updatedAt: '2026-02-01T00:01:00.000Z',
        endAt: '2026-02-01T00:01:00.000Z',
        customer: { number: '+12025550142' },
        status: 'completed',
        phoneVendor: 'sandbox',
        phoneVendorDetails: { from: '+12025550100', to: '+12025550142' },
        monitor: { controlUrl: 'http://127.0.0.1:9/' },
        messages: [{ messageId: 'm1', role: 'user', text: 'Hi', timestamp: '2026-02-01T00:00:10.000Z' }],
      },
    },
  ],
}

type Path = readonly (string | number)[]

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...at, key]))]
}

function replaceAt(root: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  const copy: Record<string, unknown> = Object.assign(Array.isArray(root) ? [] : {}, root)
  copy[key] = replaceAt(copy[key], rest, value)
  return copy
}

const oddNumbers = [
  0,
  -0,
  -1,
  0.5,
  2 ** 31,
  2 ** 32,
  1e12,
  2 ** 53 - 2,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  -1e308,
  5e-324,
]
const odd = fc.oneof(
  fc.constantFrom(...oddNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    '',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    '2026-02-30T00:00:00Z',
    '__proto__',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

test('rejects any invalid snapshot, which changes nothing, and works with any other', async () => {
  const sandbox = await startTestSandbox()
  const { first } = sandbox
  await first.restore(snapshot)
  const check = async (path: Path, value: unknown) => {
    const before = first.snapshot()
    const refusal = await first.restore(replaceAt(snapshot, path, value)).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal !== undefined) {
      expect(refusal).toBeInstanceOf(Problem)
      expect(refusal).toMatchObject({ status: 422, options: { findings: expect.any(Array) } })
      expect(first.snapshot()).toEqual(before)
      return
    }
    const assistantId = [...first.store.assistants()].at(-1)?._id
    for (const [path, body] of [
      [paths.tools, tool],
      [paths.assistants, { name: 'Other' }],
      [paths.faq, { faq: [{ question: 'Where?', answer: 'Here.' }] }],
      [paths.calls, { ...callee, metadata: { caller: ['When?', 'book', 'Goodbye'] }, assistantId }],
    ] as const) {
      const { status } = await sandbox.send('POST', path, body)
      expect({ status, path, isWorking: status < 500 }).toMatchObject({ isWorking: true })
    }
    await first.idle()
    expect(
      sandbox.events.filter(event => event.kind === 'warning' && event.message.includes(' broke')),
    ).toEqual([])
    // It can be exported and imported again.
    await first.restore(JSON.parse(JSON.stringify(first.snapshot())))
  }
  const anywhere = fc.constantFrom(...pathsIn(snapshot))
  await fc.assert(fc.asyncProperty(anywhere, odd, check), {
    numRuns: runs(60),
    examples: [
      [['ids'], 2 ** 53 - 1],
      [['requests'], 2 ** 53 - 1],
      [['version'], 2],
      [['clock'], undefined],
      [['entries', 0], { kind: 'team' }],
      [['entries', 3, 'record', 'status'], 'ringing'],
      [['entries', 3, 'record', 'phoneVendorDetails'], undefined],
    ],
  })
})
