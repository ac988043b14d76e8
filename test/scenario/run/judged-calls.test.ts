import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOpenAiModel } from '../../../src/model/index.ts'
import { openCassettes, type TestCase } from '../../../src/scenario/index.ts'
import type { ModelRole } from '../../../src/scenario/verdict.ts'
import { type ChatBody, type ModelAnswer, startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { temporaryFolder } from '../../helpers/run-bin.ts'
import { type MadeTest, run, testCase } from './run-cases.ts'

const { signal } = new AbortController()

/** A server that judges, and plays the caller; both by what their prompts say. */
async function startModels(answer: (role: ModelRole, body: ChatBody) => object) {
  const asked: ModelRole[] = []
  const server = await startModelServer((body): ModelAnswer => {
    const role = body.messages[0]?.content?.startsWith('Is this true') ? 'judge' : 'caller'
    asked.push(role)
    return { say: JSON.stringify(answer(role, body)) }
  })
  return { ...server, asked }
}

/** Runs a test with its cassette; with an address, what is not recorded is asked there, and recorded. */
async function runRecorded(made: TestCase, url?: string) {
  const cassettes = await openCassettes({
    tests: [made],
    update: url !== undefined,
    variables: new Map(),
    connect: () =>
      url === undefined
        ? undefined
        : createOpenAiModel({ baseUrl: url, model: 'm', apiKey: undefined, timeout: 5000, clock: realClock }),
    clock: realClock,
    signal,
  })
  const { openModels } = cassettes
  const results = await run([made], { openModels })
  for (const change of await cassettes.changes(results)) await change.write(realClock)
  const [result = expect.fail()] = results
  return result
}

async function recordedTest(made: MadeTest): Promise<TestCase> {
  const folder = await temporaryFolder()
  return testCase({ path: join(folder, 'a.test.yaml'), variables: { name: 'Ada' }, ...made })
}

test('a simulated caller reaches its goal, and replays equally from the cassette', async () => {
  const server = await startModels((role, { messages }) => {
    if (role === 'judge') return { verdict: 'yes', reason: 'The hours were told' }
    return messages.at(-1)?.content?.includes('Nine to five')
      ? { say: 'Thank you', done: 'reached' }
      : { say: 'When are you open?', done: 'no' }
  })
  const made = await recordedTest({
    caller: { persona: 'A cook', goal: 'Know when the restaurant opens', knows: {}, turns: 5 },
    expect: [
      { kind: 'goal', reached: true },
      { kind: 'judge', sentence: 'tells the hours' },
      { kind: 'ends', by: 'user' },
    ],
  })
  const asked = await runRecorded(made, server.url)
  expect(asked.attempts[0]).toMatchObject({ failures: [], undecided: [] })
  expect(asked.attempts[0]?.call.turns.map(({ caller }) => caller?.line)).toEqual([
    undefined,
    'When are you open?',
    'Thank you',
    '/hangup',
  ])
  expect(server.asked).toEqual(['caller', 'caller', 'judge', 'judge'])
  expect(server.requests[2]?.body.messages[0]?.content).toContain('Know when the restaurant opens')
  await server.close()
  const { durationMs: _, ...first } = asked
  expect(await runRecorded(made)).toMatchObject(first)
})

test('a caller who never finishes stops at the line limit and misses its goal', async () => {
  const server = await startModels(role =>
    role === 'judge' ? { verdict: 'no', reason: 'It was not told' } : { say: 'And then?', done: 'no' },
  )
  const made = await recordedTest({
    caller: { persona: 'A child', goal: 'Know all', knows: {}, turns: 3 },
    expect: [{ kind: 'goal', reached: false }],
  })
  const result = await runRecorded(made, server.url)
  expect(result.status).toBe('passed')
  expect(server.asked).toEqual([...Array<ModelRole>(3).fill('caller'), ...Array<ModelRole>(3).fill('judge')])
})

test('records three votes separately, and replays their majority without a server', async () => {
  const votes = ['no', 'yes', 'no', 'yes']
  let vote = 0
  const server = await startModels(() => ({ verdict: votes[vote++], reason: `vote ${vote}` }))
  const made = await recordedTest({
    turns: [['When are you open?', { kind: 'judge', sentence: 'names the days' }]],
    expect: [{ kind: 'judge', sentence: 'is polite' }],
  })
  const verdicts = [{ code: 'judged-no', turn: 1, details: { sentence: 'names the days', reason: 'vote 1' } }]
  expect((await runRecorded(made, server.url)).attempts[0]).toMatchObject({ failures: verdicts })
  expect(server.asked).toHaveLength(4)
  await server.close()
  expect((await runRecorded(made)).attempts[0]).toMatchObject({ failures: verdicts, undecided: [] })
})

test('a caller whose model fails leaves its test undecided, never passed', async () => {
  const server = await startModelServer({ status: 500, message: 'overloaded' })
  const made = await recordedTest({
    caller: { persona: 'p', goal: 'g', knows: {}, turns: 3 },
    expect: [{ kind: 'ends', by: 'user' }],
  })
  const result = await runRecorded(made, server.url)
  expect(result.status).toBe('undecided')
  expect(result.attempts[0]?.undecided[0]?.reason).toContain('overloaded')
})
