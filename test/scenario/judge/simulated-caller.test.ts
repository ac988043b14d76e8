import { expect, test } from 'vitest'
import { createSimulatedCaller } from '../../../src/scenario/judge/simulated-caller.ts'
import { type ModelAnswer, openModel, startModelServer } from '../../helpers/model-server.ts'

const caller = {
  persona: 'An impatient cyclist',
  goal: 'Have the e-bike mended by Friday',
  knows: { name: 'Ada', frame: 'AB-12' },
  turns: 12,
}

const line = (say: string, done = 'no'): ModelAnswer => ({ say: JSON.stringify({ say, done }) })

async function callerOf(...answers: readonly ModelAnswer[]) {
  const server = await startModelServer(...answers)
  const model = openModel(server.url, 30_000)
  const next = createSimulatedCaller(model, caller)
  const { signal } = new AbortController()
  return {
    server,
    /** The assistant says these texts, of which the part before `|` is heard. */
    hears: (...texts: readonly string[]) =>
      next(
        texts.map(text => {
          const [heard = ''] = text.split('|')
          return { text, heard, from: 0, until: 1, fallback: false }
        }),
        signal,
      ),
  }
}

test('speaks line by line, and hangs up after the last one', async () => {
  const { hears, server } = await callerOf(line('I need it mended'), line('Thanks, bye', 'reached'))
  expect(await hears('Hello,', 'what can I do?')).toEqual({ type: 'say', text: 'I need it mended' })
  expect(await hears('Friday it is|, at ten')).toEqual({ type: 'say', text: 'Thanks, bye' })
  expect(await hears('Goodbye')).toEqual({ type: 'hang-up' })
  expect(server.requests).toHaveLength(2)
  const { messages, temperature, response_format: format } = server.requests[1]?.body ?? expect.fail()
  expect(temperature).toBe(0)
  expect(format?.json_schema.name).toBe('line')
  expect(messages.slice(1)).toEqual([
    { role: 'user', content: 'Hello, what can I do?' },
    { role: 'assistant', content: '{"say":"I need it mended","done":"no"}' },
    { role: 'user', content: 'Friday it is' },
  ])
})

test('knows its persona, goal and facts', async () => {
  const { hears, server } = await callerOf(line('Hello'))
  await hears()
  const [system, user] = server.requests[0]?.body.messages ?? []
  expect(system?.content).toContain('Who you are: An impatient cyclist\n')
  expect(system?.content).toContain('What you want from this call: Have the e-bike mended by Friday\n')
  expect(system?.content).toContain('{"name":"Ada","frame":"AB-12"}')
  expect(user?.content).toBe('(The assistant says nothing.)')
})

test.each<[string, ModelAnswer, unknown]>([
  ['gives up without a word', line('', 'impossible'), { type: 'hang-up' }],
  ['listens', line(''), { type: 'silence', milliseconds: 3000 }],
  ['is no direction', line('/hangup'), { type: 'say', text: '/hangup' }],
  ['stays one line', line('One\n\ntwo'), { type: 'say', text: 'One two' }],
  ['ends somewhere', line('x'.repeat(5000)), { type: 'say', text: 'x'.repeat(500) }],
  ['may be bare', { say: ' I need\nhelp ' }, { type: 'say', text: 'I need help' }],
  ['may be fenced', { say: '```json\n{"say":"Hi","done":"no"}\n```' }, { type: 'say', text: 'Hi' }],
])('a line that %s', async (_name, answer, turn) => {
  const { hears } = await callerOf(answer)
  expect(await hears('Hello')).toEqual(turn)
})

test.each<[string, ModelAnswer, RegExp]>([
  ['empty', { say: '' }, /returned nothing/],
  ['of another shape', { say: '{"line":"Hi"}' }, /is invalid: “\{"line":"Hi"\}”/],
  ['refused', { status: 401, message: 'no key' }, /responded 401: no key/],
])('a response that is %s is a model failure', async (_name, answer, reason) => {
  const { hears } = await callerOf(answer)
  await expect(hears('Hello')).rejects.toThrow(reason)
})
