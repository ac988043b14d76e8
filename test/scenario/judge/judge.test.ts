import { describe, expect, test } from 'vitest'
import type { ObservedCall } from '../../../src/scenario/index.ts'
import { judge } from '../../../src/scenario/judge/judge.ts'
import { type ModelAnswer, openModel, startModelServer } from '../../helpers/model-server.ts'
import { madeResult, madeTurn } from '../made-results.ts'

const [attempt = expect.fail()] = madeResult([
  madeTurn(undefined, 'Hello there'),
  madeTurn('When?', 'Nine to six'),
]).attempts
const { call } = attempt

const says = (verdict: string, reason = `so it is: ${verdict}`): ModelAnswer => ({
  say: JSON.stringify({ reason, verdict }),
})

async function judged(
  answers: readonly ModelAnswer[],
  { turn, signal = new AbortController().signal }: { turn?: number; signal?: AbortSignal } = {},
) {
  const server = await startModelServer(...answers)
  // A busy machine takes longer than a model that hangs is waited for.
  const model = openModel(server.url, answers[0] === 'hang' ? 200 : 30_000)
  const found = judge(model, { sentence: 'It is “polite”', call, turn }, signal)
  return { found, server, model }
}

async function verdictOf(...answers: readonly ModelAnswer[]) {
  const { found, server } = await judged(answers)
  return { ...(await found), asked: server.requests.length }
}

describe('the majority of a “no” and two further votes', () => {
  test.each([
    [['yes'], 'yes', 1],
    [['no', 'no', 'no'], 'no', 3],
    [['no', 'yes', 'no'], 'no', 3],
    [['no', 'yes', 'yes'], 'yes', 3],
    [['no', 'no', 'maybe'], 'no', 3],
    [['no', 'maybe', 'yes'], 'undecided', 3],
    [['maybe'], 'undecided', 1],
  ] as const)('%j: %s', async (votes, verdict, asked) => {
    expect(await verdictOf(...votes.map(vote => says(vote)))).toMatchObject({ verdict, asked })
  })

  test('takes the reason from the deciding vote', async () => {
    expect(await verdictOf(says('no', 'rude'), says('yes', 'kind'), says('yes', 'warm'))).toMatchObject({
      reason: 'kind',
    })
    expect(await verdictOf(says('no', 'rude'), says('yes'), says('no', 'harsh'))).toMatchObject({
      reason: 'rude',
    })
  })
})

describe('a response', () => {
  test('may be in a code fence or between other text', async () => {
    const fenced = '```json\n{"verdict": "yes", "reason": "It\\n  says so"}\n```\nI hope {this} helps.'
    expect(await verdictOf({ say: fenced })).toMatchObject({ verdict: 'yes', reason: 'It says so' })
  })

  test.each<[string, ModelAnswer, RegExp]>([
    ['of other words', { say: 'Yes, it is.' }, /is invalid: “Yes, it is\.”/],
    ['without a reason', { say: '{"verdict":"yes"}' }, /is invalid/],
    ['of two verdicts', { say: '{"verdict":"yes","reason":""} {"verdict":"no","reason":""}' }, /is invalid/],
    ['that is empty', { say: '' }, /returned nothing/],
    ['of an error', { status: 500, message: 'overloaded' }, /the model responded 500: overloaded/],
    ['that never comes', 'hang', /sent nothing for 0\.2 seconds/],
    ['that breaks off', { breakOff: '{"verdict":"yes"', how: 'reset' }, /interrupted|ended early/],
  ])('%s is undecided', async (_name, answer, reason) => {
    const found = await verdictOf(answer)
    expect(found).toMatchObject({ verdict: 'undecided', asked: 1 })
    expect(found.reason).toMatch(reason)
  })

  test('is not awaited after an abort', async () => {
    const over = new AbortController()
    const { found, server } = await judged(['hang'], { signal: over.signal })
    await server.received(1)
    over.abort(new Error('cancelled'))
    await expect(found).rejects.toThrow('cancelled')
  })
})

describe('the question', () => {
  const requestOf = async (turn?: number) => {
    const { found, server } = await judged([says('yes')], turn === undefined ? {} : { turn })
    await found
    const [{ body } = expect.fail()] = server.requests
    return body
  }

  test('is sent at temperature 0 with a JSON schema, and the sentence apart from the transcript', async () => {
    const { temperature, messages, response_format: format } = await requestOf()
    expect(temperature).toBe(0)
    expect(format?.json_schema.schema).toMatchObject({ required: ['reason', 'verdict'] })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(messages[0]?.content).toMatch(/^Is this true of a phone call\? "It is “polite”"\n/)
    expect(messages[0]?.content).toContain('Judge the whole call.')
    expect(messages[1]?.content).not.toContain('polite')
  })

  test('names the turn and omits later ones', async () => {
    const { messages } = await requestOf(0)
    expect(messages[0]?.content).toContain('in turn 0, the last one of the transcript')
    expect(messages[1]?.content).toContain('Hello there')
    expect(messages[1]?.content).not.toContain('Nine to six')
  })
})

test('the time of day does not change the question, so that its recording stays valid', async () => {
  const { found, server, model } = await judged([says('yes')])
  await found
  const later: ObservedCall = { ...call, startedAt: call.startedAt + 5000 }
  await judge(
    model,
    { sentence: 'It is “polite”', call: later, turn: undefined },
    new AbortController().signal,
  )
  const [one, other] = server.requests
  expect(other?.body).toEqual(one?.body)
})
