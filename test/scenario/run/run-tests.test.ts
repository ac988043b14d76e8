import { expect, test } from 'vitest'
import { createDeferred } from '../../../src/lib/queue.ts'
import { type ChatModel, ModelFailure } from '../../../src/sandbox/model/index.ts'
import type { ObservedCall, TestResult } from '../../../src/scenario/index.ts'
import { markReference } from '../../../src/scenario/reference-mark.ts'
import { startToolServer } from '../../helpers/tool-server.ts'
import { type AttemptModels, answering, noModels, restaurant, run, says, testCase } from './run-cases.ts'

const callOf = (result: TestResult | undefined) => {
  const call = result?.attempts[0]?.call
  if (call === undefined) throw new Error('there is no call')
  return call
}

/** Line by line, in seconds of the call. */
function drawn({ turns, startedAt }: ObservedCall): string[] {
  const time = (at: number | undefined) => (at === undefined ? '-' : ((at - startedAt) / 1000).toFixed(1))
  return turns.flatMap(({ caller, messages, tools, searches }, turn) => [
    ...(caller === undefined
      ? []
      : [`${turn} ${time(caller.from)}-${time(caller.until)} caller: ${caller.line}`]),
    ...searches.map(
      ({ hits, used }) =>
        `${turn} found ${hits.map(({ entry }) => entry.question)} ${used ? 'used' : 'unused'}`,
    ),
    ...tools.map(
      ({ name, from, until, content }) => `${turn} ${time(from)}-${time(until)} ${name}: ${content}`,
    ),
    ...messages.map(
      ({ text, heard, from, until, fallback }) =>
        `${turn} ${time(from)}-${time(until)} said: ${text}${heard === text ? '' : ` (heard: ${heard})`}${fallback ? ' (fallback)' : ''}`,
    ),
  ])
}

test('runs a test as its own call, with messages, searches and tool calls by turn', async () => {
  const results = await run([
    testCase({
      variables: { name: 'Ada' },
      welcome: [says('hello ada')],
      metadata: { order: 7 },
      tools: { book_table: [{ kind: 'returns', value: { message: 'Booked.' }, after: 3000 }] },
      turns: [
        ['When are you open?', says('nine to')],
        ['/interrupt Wait', says('sandbox')],
        '/say-nothing 2',
        ['Book a table for 4 people', says('Booked')],
        ['Goodbye', { kind: 'ends', by: 'assistant' }],
      ],
    }),
  ])
  expect(results).toMatchObject([{ status: 'passed', attempts: [{ failures: [], undecided: [] }] }])
  const call = callOf(results[0])
  expect(drawn(call)).toMatchInlineSnapshot(`
    [
      "0 0.0-2.3 said: Hello Ada, this is the restaurant.",
      "1 2.3-3.5 caller: When are you open?",
      "1 found When are you open?,Are you open on Sunday? used",
      "1 3.9-4.7 said: Nine to five, Ada. (heard: Nine to)",
      "2 4.5-4.9 caller: /interrupt Wait",
      "2 found  unused",
      "2 5.3-10.2 said: This is the callyard sandbox: no entry of my knowledge base is about that. (fallback)",
      "3 10.2-12.2 caller: /say-nothing 2",
      "4 12.2-13.9 caller: Book a table for 4 people",
      "4 found  unused",
      "4 14.3-17.3 book_table: {"message":"Booked."}",
      "4 17.3-17.7 said: Booked.",
      "5 17.7-18.2 caller: Goodbye",
      "5 18.2-18.7 said: Goodbye!",
    ]
  `)
  expect(call.startedAt).toBe(Date.parse('2026-01-01T00:00:01Z'))
  expect(call.record).toMatchObject({
    callEndTriggerBy: 'assistant',
    metadata: { order: 7, caller: expect.any(Array) },
  })
})

test('contacts neither tool servers nor webhook receivers', async () => {
  const [result] = await run([testCase({ turns: ['Book a table for 4 people'] })])
  expect(callOf(result).turns[1]?.tools).toMatchObject([
    { simulated: true, arguments: { people: 4 }, content: expect.stringContaining('has no response') },
  ])
})

test('passes a tool call through to its server, and reports an unreachable one', async () => {
  const server = await startToolServer({ json: { message: 'Booked for real.' } })
  const options = { openProject: async () => restaurant({ tool: { server: { url: server.url } } }) }
  const passed = testCase({
    tools: { book_table: [{ kind: 'passthrough', after: 2000 }] },
    turns: [['Book a table for 4 people', says('Booked for real.')]],
  })
  const [result] = await run([passed], options)
  expect(result?.attempts[0]?.failures).toEqual([])
  const [{ from, until = 0 } = expect.fail()] = callOf(result).turns[1]?.tools ?? []
  expect(until - from).toBeGreaterThanOrEqual(2000)
  expect(server.requests.map(({ body }) => body.message.toolCall.arguments)).toEqual([{ people: 4 }])
  await server.close()
  const [unreached] = await run([passed], options)
  expect(callOf(unreached).turns[1]?.tools).toMatchObject([
    { failure: expect.stringContaining('server failed') },
  ])
  expect(callOf(unreached).turns[1]?.tools[0]).not.toHaveProperty('simulated')
})

test('fails for an unreached turn and for a missing phrase', async () => {
  const [result] = await run([
    testCase({ turns: ['Goodbye', ['When are you open?', says('nine')], ['Hello?', says('hello')]] }),
  ])
  expect(result).toMatchObject({
    status: 'failed',
    attempts: [{ failures: [{ code: 'not-reached', turn: 2, details: { endedBy: 'assistant' } }] }],
  })
  const [silent] = await run([testCase({ turns: [['When are you open?', says('ten')]] })])
  expect(silent).toMatchObject({
    status: 'failed',
    attempts: [{ failures: [{ code: 'not-said', turn: 1 }] }],
  })
})

test('a test without lines hangs up after the welcome', async () => {
  const [result] = await run([testCase({ welcome: [says('hello')] })])
  expect(result?.status).toBe('passed')
  expect(callOf(result).record.callEndTriggerBy).toBe('user')
})

test('starts tests at their own time, isolated from each other', async () => {
  const at = Date.parse('2030-06-01T09:00:00Z')
  const [one, other] = await run([testCase({ id: 'one', at }), testCase({ id: 'two' })])
  expect(callOf(one).record.createdAt).toBe('2030-06-01T09:00:00.000Z')
  expect(callOf(other).record.createdAt).toBe('2026-01-01T00:00:00.000Z')
  expect(callOf(one).record.id).toBe(callOf(other).record.id)
})

test('an inline assistant needs no project', async () => {
  const [result] = await run(
    [
      testCase({
        project: undefined,
        assistant: { inline: { welcomeMessage: 'Hi {{name}}.' } },
        variables: { name: 'Bo' },
        welcome: [says('Hi Bo.')],
      }),
    ],
    { openProject: () => Promise.reject(new Error('no project is opened')) },
  )
  expect(result?.status).toBe('passed')
})

test('an inline assistant may reference resources of its project', async () => {
  const inline = {
    welcomeMessage: 'Hi',
    assistantToolIds: [markReference({ kind: 'tool', name: 'table' })],
    assistantKnowledgeBaseIds: [markReference({ kind: 'kb', name: 'menu' })],
    assistantPredefinedTools: { knowledgeBase: true },
  }
  const [result] = await run([
    testCase({
      assistant: { inline },
      variables: { name: 'Bo' },
      turns: [
        ['Book a table for 4 people', { kind: 'calls', tool: 'book_table', arguments: { kind: 'any' } }],
        ['When are you open?', says('Nine to five, Bo.')],
      ],
    }),
  ])
  expect(result?.attempts[0]?.failures).toEqual([])
})

test('a call that cannot be placed fails only its test', async () => {
  const results = await run([
    testCase({ id: 'one', assistant: { name: 'nobody' } }),
    testCase({ id: 'two', assistant: { inline: { idleTimeout: -1 } } }),
    testCase({ id: 'three', welcome: [says('hello')] }),
  ])
  expect(results.map(({ status, attempts }) => [status, attempts[0]?.failures])).toMatchObject([
    ['failed', [{ code: 'call-failed', details: { reason: 'there is no assistant with the id "nobody"' } }]],
    ['failed', [{ code: 'call-failed', details: { reason: expect.stringContaining('idleTimeout') } }]],
    ['passed', []],
  ])
  expect(callOf(results[0]).turns).toHaveLength(1)
})

test('reports a model that cannot be opened or throws', async () => {
  const [unopened] = await run([testCase({})], { openModels: () => Promise.reject(new Error('no cassette')) })
  expect(unopened?.attempts[0]?.failures).toMatchObject([
    { code: 'call-failed', details: { reason: 'no cassette' } },
  ])
  const breaking = { ...noModels, modelFor: () => ({ complete: () => fails('it is down') }) }
  const [broken] = await run(
    [
      testCase({
        turns: [
          ['Hello?', says('hello')],
          ['/say-nothing 1', says('x')],
        ],
      }),
    ],
    { openModels: async () => breaking },
  )
  expect(broken?.attempts[0]?.failures).toMatchObject([
    { code: 'model-failed', turn: 1, details: { reason: expect.stringContaining('it is down') } },
    { code: 'not-said', turn: 2 },
  ])
})

function fails(reason: string) {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error(reason)) }) }
}

test('reports nothing that depends on a missing response', async () => {
  const missingResponses = [
    { turn: 1, role: 'assistant', difference: [{ part: 'prompt', lines: ['- a', '+ b'] }] },
    { turn: 2, role: 'assistant', difference: [] },
    { turn: 2, role: 'analysis', difference: [] },
  ] as const
  const models = {
    ...noModels,
    modelFor: () => ({ complete: () => fails('not recorded') }),
    missingResponses,
  }
  const [result] = await run(
    [
      testCase({
        welcome: [says('good evening')],
        turns: [
          ['Hello?', says('hello')],
          ['Well?', says('x')],
          ['And now?', says('y')],
        ],
        expect: [says('z')],
      }),
    ],
    { openModels: async () => models },
  )
  expect(result?.attempts[0]?.failures).toMatchObject([
    { code: 'not-said', turn: 0 },
    { code: 'not-recorded', turn: 1, details: { role: 'assistant', missing: 3, turns: 3 } },
  ])
})

test('a failed model leaves its test undecided and later turns unchecked', async () => {
  const failedRequests = [{ turn: 1, role: 'assistant', reason: 'the model responded 500' }] as const
  const models = {
    ...noModels,
    modelFor: () => ({ complete: () => fails('the model responded 500') }),
    failedRequests,
  }
  const test = testCase({
    welcome: [says('hello')],
    turns: [
      ['Hello?', says('hello')],
      ['Still there?', says('yes')],
    ],
    expect: [{ kind: 'calls-in-order', calls: [] }],
  })
  const [result] = await run([test], { openModels: async () => models })
  expect(result).toMatchObject({
    status: 'undecided',
    attempts: [{ failures: [], undecided: [{ turn: 1, reason: 'the model responded 500' }] }],
  })
})

test('an unrecorded judgement fails at its expectation', async () => {
  const missingResponses: AttemptModels['missingResponses'][number][] = []
  const judge = answering(() => {
    missingResponses.push({ turn: 1, role: 'judge', difference: [] })
    throw new ModelFailure('no recorded answer')
  })
  const [result] = await run(
    [testCase({ turns: [['Hello?', { kind: 'judge', sentence: 'It is polite' }]] })],
    { openModels: async () => ({ ...noModels, judge, missingResponses }) },
  )
  expect(result).toMatchObject({
    status: 'failed',
    attempts: [{ failures: [{ code: 'not-recorded', turn: 1, details: { role: 'judge' } }], undecided: [] }],
  })
})

test('a repeated test passes if it passes often enough; undecided attempts count separately', async () => {
  const verdicts = ['yes', 'no', 'undecided', 'yes'] as const
  const judged = (repeat: { times: number; pass: number }) =>
    run([testCase({ repeat, turns: [['Hello?', { kind: 'judge', sentence: 'It is polite' }]] })], {
      openModels: async (_, { number }) => {
        const answer = JSON.stringify({ verdict: verdicts[number - 1], reason: 'so it is' })
        return { ...noModels, judge: answering(() => answer) }
      },
    })
  const statusOf = async (times: number, pass: number) => (await judged({ times, pass }))[0]?.status
  expect(await statusOf(1, 1)).toBe('passed')
  expect(await statusOf(2, 1)).toBe('passed')
  expect(await statusOf(2, 2)).toBe('failed')
  expect(await statusOf(3, 2)).toBe('undecided')
  expect(await statusOf(4, 2)).toBe('passed')
  expect(await statusOf(4, 3)).toBe('undecided')
  expect(await statusOf(4, 4)).toBe('failed')
  const [result] = await judged({ times: 3, pass: 3 })
  expect(
    result?.attempts.map(({ failures, undecided }) => [failures[0]?.code, undecided[0]?.reason]),
  ).toEqual([
    [undefined, undefined],
    ['judged-no', undefined],
    [undefined, expect.stringContaining('is invalid')],
  ])
})

test('a simulated caller speaks until it hangs up or reaches its line limit', async () => {
  const heard: (string | undefined)[] = []
  const lines = ['When are you open?', 'Do you sell cars?', 'One more thing']
  const speaking: ChatModel = {
    async *complete({ messages }) {
      heard.push(messages.at(-1)?.content)
      const say = lines[(messages.length - 2) / 2] ?? ''
      yield { type: 'text', text: JSON.stringify({ say, done: say === '' ? 'impossible' : 'no' }) }
    },
  }
  const held = async (turns: number, caller: ChatModel) => {
    const simulated = { persona: 'p', goal: 'g', knows: {}, turns }
    const [result] = await run([testCase({ caller: simulated, variables: { name: 'Ada' } })], {
      openModels: async () => ({ ...noModels, caller }),
    })
    return result
  }
  const linesOf = async (turns: number) =>
    callOf(await held(turns, speaking)).turns.map(({ caller }) => caller?.line)
  expect(await linesOf(10)).toEqual([undefined, ...lines, '/hangup'])
  expect(heard.slice(0, 2)).toEqual(['Hello Ada, this is the restaurant.', 'Nine to five, Ada.'])
  expect(await linesOf(2)).toEqual([undefined, ...lines.slice(0, 2), '/hangup'])
  expect(await held(2, { complete: () => fails('it is down') })).toMatchObject({
    status: 'undecided',
    attempts: [{ failures: [], undecided: [{ turn: 0, reason: 'it is down' }] }],
  })
})

test.each([
  ['yes', true, 'passed'],
  ['no', true, 'failed'],
  ['no', false, 'passed'],
  ['yes', false, 'failed'],
])(
  'a goal that the judge calls reached with “%s” and is expected as %s: %s',
  async (verdict, reached, status) => {
    const judge = answering(() => JSON.stringify({ verdict, reason: 'so it is' }))
    const caller = answering(() => '{"say":"","done":"reached"}')
    const simulated = { persona: 'p', goal: 'Know the hours', knows: {}, turns: 3 }
    const [result] = await run([testCase({ caller: simulated, expect: [{ kind: 'goal', reached }] })], {
      openModels: async () => ({ ...noModels, caller, judge }),
    })
    expect(result).toMatchObject({
      status,
      attempts: [{ failures: status === 'passed' ? [] : [{ code: 'wrong-goal', details: { reached } }] }],
    })
  },
)

test('an invalid line of a simulated caller leaves the test undecided and later turns unchecked', async () => {
  const answers = ['{"say":"When are you open?","done":"no"}', '{"sag":"x"}']
  const caller: ChatModel = {
    async *complete() {
      yield { type: 'text', text: answers.shift() ?? '' }
    },
  }
  const simulated = { persona: 'p', goal: 'g', knows: {}, turns: 9 }
  const [result] = await run(
    [
      testCase({
        caller: simulated,
        welcome: [says('hello')],
        expect: [says('never said')],
      }),
    ],
    { openModels: async () => ({ ...noModels, caller }) },
  )
  expect(result).toMatchObject({
    status: 'undecided',
    attempts: [{ failures: [], undecided: [{ turn: 1, reason: expect.stringContaining('is invalid') }] }],
  })
})

test('opens a project once, and runs no test if that fails', async () => {
  let opened = 0
  const openProject = async () => {
    opened += 1
    return restaurant()
  }
  const tests = Array.from({ length: 5 }, (_, index) => testCase({ id: `t${index}` }))
  expect(await run(tests, { openProject })).toHaveLength(5)
  expect(opened).toBe(1)
  const started: string[] = []
  await expect(
    run([...tests, testCase({ project: '/other' })], {
      openProject: async folder => (folder === '/p' ? restaurant() : Promise.reject(new Error('bad files'))),
      openModels: async ({ id }) => {
        started.push(id)
        return noModels
      },
    }),
  ).rejects.toThrow('bad files')
  expect(started).toEqual([])
})

test('bail: drops results after the first test that does not pass', async () => {
  const good = (id: string) => testCase({ id, welcome: [says('hello')] })
  const tests = [
    testCase({ id: 'long', welcome: [says('hello')], turns: Array<string>(20).fill('Hello?') }),
    testCase({ id: 'skipped', skip: 'it is not ready' }),
    testCase({ id: 'bad', welcome: [says('good night')] }),
    good('after'),
    ...Array.from({ length: 20 }, (_, index) => good(`more${index}`)),
  ]
  const reported: string[] = []
  const results = await run(tests, {
    bail: true,
    concurrency: 3,
    onResult: ({ test: { id } }) => void reported.push(id),
  })
  expect(results.map(({ test: { id }, status }) => [id, status])).toEqual([
    ['long', 'passed'],
    ['skipped', 'skipped'],
    ['bad', 'failed'],
  ])
  expect(reported).toEqual(['long', 'skipped', 'bad'])
})

test('an abort stops the run and keeps finished results', async () => {
  const stop = new AbortController()
  const hanging = { ...noModels, modelFor: () => ({ complete: () => hangs }) }
  const hangs = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
  const results = await run(
    [testCase({ id: 'done' }), testCase({ id: 'hangs', turns: ['Hello?'] }), testCase({ id: 'never' })],
    {
      concurrency: 1,
      signal: stop.signal,
      openModels: async ({ id }) => {
        if (id !== 'hangs') return noModels
        setImmediate(() => stop.abort(new Error('cancelled')))
        return hanging
      },
    },
  )
  expect(results.map(({ test: { id } }) => id)).toEqual(['done'])
  expect(await run([testCase({})], { signal: AbortSignal.abort() })).toEqual([])
})

test('collects results in test order and keeps what the callback returns', async () => {
  const slow = createDeferred()
  const tests = Array.from({ length: 600 }, (_, index) => testCase({ id: `t${index}` }))
  let started = 0
  const collected: string[] = []
  const running = run(tests, {
    concurrency: 4,
    openModels: async ({ id }) => {
      started += 1
      if (id === 't0') await slow.promise
      return noModels
    },
    collect: async result => {
      collected.push(result.test.id)
      return { ...result, attempts: [] }
    },
  })
  // All but the first few hundred wait for the first one.
  await expect.poll(() => started).toBe(257)
  expect(collected).toEqual([])
  slow.resolve()
  const results = await running
  expect(collected).toEqual(tests.map(({ id }) => id))
  expect(results.every(({ attempts }) => attempts.length === 0)).toBe(true)
})
