import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { type ChatMessage, type ChatModel, createOpenAiModel } from '../../../src/sandbox/model/index.ts'
import { type CassetteOptions, openCassettes } from '../../../src/scenario/cassette/index.ts'
import type { TestCase } from '../../../src/scenario/index.ts'
import { startAiMock } from '../../helpers/ai-mock.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { madeResult, madeTest, madeTurn } from '../made-results.ts'

const place = { file: 'tests/made.test.yaml', path: [], position: undefined }
const tool = { name: 'book', description: 'Books', parameters: { type: 'object' } }

describe('an update', () => {
  test('requests only what is not recorded, so that the next run sends nothing', async () => {
    const { folder, test } = await tested()
    const { url, requests } = await startAiMock(mock => {
      mock.onMessage('When are you open?', { content: 'Monday to Friday, nine to six.' })
      mock.on(
        { userMessage: 'Friday, please', hasToolResult: false },
        { toolCalls: [{ name: 'book', arguments: { day: '2026-01-02' } }] },
      )
      mock.on({ userMessage: 'Friday, please', hasToolResult: true }, { content: 'Booked.' })
    })
    const updated = await call([test], url)
    expect(await updated.say('When are you open?')).toEqual({
      text: 'Monday to Friday, nine to six.',
      calls: [],
    })
    expect(await updated.say('Friday, please')).toEqual({
      text: '',
      calls: [{ id: 'call00001', name: 'book', arguments: '{"day":"2026-01-02"}' }],
    })
    expect(await updated.answered('call00001', '{"ok":true}')).toEqual({ text: 'Booked.', calls: [] })
    expect(await updated.write()).toEqual([
      {
        file: 'tests/made.cassette.ndjson',
        responses: [
          {
            ...{ row: undefined, turn: 1, role: 'assistant', before: undefined },
            request: 'caller: When are you open?',
            after: 'Monday to Friday, nine to six.',
          },
          {
            ...{ row: undefined, turn: 2, role: 'assistant', before: undefined },
            request: 'caller: Friday, please',
            after: 'calls book: {"day":"2026-01-02"}',
          },
          {
            ...{ row: undefined, turn: 2, role: 'assistant', before: undefined },
            request: 'tool 1 answered: {"ok":true}',
            after: 'Booked.',
          },
        ],
        removed: 0,
        unreadable: 0,
        isUnused: false,
      },
    ])
    expect(requests()).toHaveLength(3)
    const text = await readFile(join(folder, 'made.cassette.ndjson'), 'utf8')
    expect(text).toContain(
      '"text":"Monday to Friday, nine to six.","calls":[],"conversation":[{"user":"When are you open?"}]',
    )

    const replayed = await call([test], undefined)
    expect(await replayed.say('When are you open?')).toEqual({
      text: 'Monday to Friday, nine to six.',
      calls: [],
    })
    await replayed.say('Friday, please')
    expect(await replayed.answered('call00001', '{ "ok": true }')).toEqual({ text: 'Booked.', calls: [] })
    expect(replayed.models.missingResponses).toEqual([])

    const again = await call([test], url)
    await again.say('When are you open?')
    await again.say('Friday, please')
    await again.answered('call00001', '{"ok":true}')
    expect(await again.write()).toEqual([])
    expect(requests()).toHaveLength(3)
  })

  test('pairs new and old responses, and removes unused entries if every turn ran', async () => {
    const { folder, test } = await tested()
    const { url, mock } = await startAiMock(mock => mock.onMessage(/open/, { content: 'From nine.' }))
    const first = await call([test], url)
    await first.say('Are you open?')
    await first.write()
    const text = await readFile(join(folder, 'made.cassette.ndjson'), 'utf8')

    mock.clearFixtures().onMessage(/open/, { content: 'From ten.' })
    const second = await call([test], url, { prompt: 'Be brief.' })
    await second.say('Are you open?')
    const [change] = await second.cassettes.changes([{ ...madeResult([]), test }])
    // A turn was not reached: what it asks for is not known.
    expect(change).toMatchObject({ removed: 0, responses: [{ before: 'From nine.', after: 'From ten.' }] })
    const [whole] = await second.write()
    expect(whole).toMatchObject({ removed: 1, responses: [{ before: 'From nine.', after: 'From ten.' }] })
    const now = await readFile(join(folder, 'made.cassette.ndjson'), 'utf8')
    expect(now.split('\n')).toHaveLength(text.split('\n').length)
    expect(now).not.toContain('From nine.')
  })

  test('records each repetition within a call, and one response for all attempts', async () => {
    const { test } = await tested()
    const { url, requests } = await startAiMock(mock => {
      mock.on({ userMessage: 'Polite?', sequenceIndex: 0 }, { content: 'no' })
      mock.on({ userMessage: 'Polite?', sequenceIndex: 1 }, { content: 'yes' })
    })
    const first = await call([test], url)
    const question: readonly ChatMessage[] = [{ role: 'user', content: 'Polite?' }]
    expect([await first.ask('judge', question), await first.ask('judge', question)]).toEqual([
      { text: 'no', calls: [] },
      { text: 'yes', calls: [] },
    ])
    const second = await first.again()
    expect(await second.ask('judge', question)).toEqual({ text: 'no', calls: [] })
    expect(requests()).toHaveLength(2)
    await first.write()
    const third = await call([test], undefined)
    expect([await third.ask('judge', question), await third.ask('judge', question)]).toEqual([
      { text: 'no', calls: [] },
      { text: 'yes', calls: [] },
    ])
    await expect(third.ask('judge', question)).rejects.toThrow('no recorded response')
  })

  test('sends equal concurrent requests once', async () => {
    const { test } = await tested()
    const rows = [1, 2].map(row => ({ ...test, id: `made[${row}]` }))
    const { url, requests } = await startAiMock(mock => mock.onMessage('Hello', { content: 'Hi.' }))
    const first = await call(rows, url)
    const second = await first.again(rows[1])
    expect(await Promise.all([second.say('Hello'), first.say('Hello')])).toEqual([
      { text: 'Hi.', calls: [] },
      { text: 'Hi.', calls: [] },
    ])
    expect(requests()).toHaveLength(1)
  })

  test('keeps entries that another update recorded in the meantime', async () => {
    const { folder, test } = await tested()
    const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'Yes.' }))
    const [one, other] = [await call([test], url), await call([test], url)]
    await one.say('One?')
    await other.say('Other?')
    await Promise.all([one.write(), other.write()])
    const both = await call([test], undefined)
    await both.say('One?')
    const again = await both.again()
    await again.say('Other?')
    expect(both.models.missingResponses).toEqual([])
    expect((await readdir(folder)).sort()).toEqual(['.callyard', 'made.cassette.ndjson'])
    expect(await readdir(join(folder, '.callyard'))).toEqual([])
  })

  test('drops a truncated response and keeps the others', async () => {
    const { folder, test } = await tested()
    const { url } = await startAiMock(mock => {
      mock.onMessage('One?', { content: 'Yes.' })
      mock.onMessage('Two?', { content: 'Of course, any time.' }, { chunkSize: 4, truncateAfterChunks: 2 })
    })
    const updated = await call([test], url)
    await updated.say('One?')
    await expect(updated.say('Two?')).rejects.toThrow(/model/)
    expect(updated.models.failedRequests).toMatchObject([{ turn: 2, role: 'assistant' }])
    const [change] = await updated.cassettes.changes([])
    expect(change?.responses).toHaveLength(1)
    await change?.write(realClock)
    expect(await readFile(join(folder, 'made.cassette.ndjson'), 'utf8')).not.toContain('Of course')
  })

  test('stops on its signal with nothing to write', async () => {
    const { test } = await tested()
    const { url, mock } = await startAiMock(mock =>
      mock.onMessage(/./, { content: 'Late.' }, { latency: 600_000 }),
    )
    const ended = new AbortController()
    const updated = await call([test], url, { signal: ended.signal })
    const said = updated.say('Hello')
    const asked = expect(said).rejects.toThrow('stopped')
    while (mock.getRequests().length === 0) await new Promise(resolve => setImmediate(resolve))
    ended.abort(new Error('stopped'))
    await asked
    expect(await updated.cassettes.changes([])).toEqual([])
  })
})

describe('a server that fails', () => {
  test('gets a retry if it is busy and sends Retry-After', async () => {
    const { test } = await tested()
    const clock = manualClock()
    const { url, requests } = await startAiMock(mock => {
      mock.onMessage('Hello', { content: 'Hi.' })
      mock.nextRequestError(429, { message: 'slow down' }).nextRequestError(429, { message: 'slow down' })
    })
    const updated = await call([test], url, { clock })
    const said = updated.say('Hello')
    while (requests().length < 3) await clock.advance(1000)
    expect(await said).toEqual({ text: 'Hi.', calls: [] })
    expect(updated.models.failedRequests).toEqual([])
  })

  test('is abandoned after five attempts', async () => {
    const { test } = await tested()
    const clock = manualClock()
    const { url, requests } = await startAiMock(mock =>
      mock.onMessage('Hello', { error: { message: 'slow down' }, status: 429 }),
    )
    const updated = await call([test], url, { clock })
    const said = expect(updated.say('Hello')).rejects.toThrow('the model responded 429: slow down')
    while (updated.models.failedRequests.length === 0) await clock.advance(1000)
    await said
    expect(requests()).toHaveLength(5)
    expect(updated.models.failedRequests).toEqual([
      { turn: 1, role: 'assistant', reason: 'the model responded 429: slow down' },
    ])
  })

  test('is asked no more in this call', async () => {
    const { test } = await tested()
    const { url, requests } = await startAiMock(mock =>
      mock.nextRequestError(500, { message: 'out of order' }),
    )
    const live = await call([{ ...test, model: 'live' }], url)
    const reason = 'the model responded 500: out of order'
    await expect(live.say('Hello')).rejects.toThrow(reason)
    await expect(live.say('Are you there?')).rejects.toThrow('no recorded response')
    expect(live.models.failedRequests).toEqual([{ turn: 1, role: 'assistant', reason }])
    expect(requests()).toHaveLength(1)
  })
})

describe('a live test', () => {
  test('sends every request and writes nothing', async () => {
    const { folder, test } = await tested()
    const { url, requests } = await startAiMock(mock => mock.onMessage('Hello', { content: 'Hi.' }))
    const live = await call([{ ...test, model: 'live' }], url)
    await live.say('Hello')
    const again = await live.again()
    await again.say('Hello')
    expect(requests()).toHaveLength(2)
    expect(await live.write()).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })
})

describe('an unrecorded request', () => {
  test('fails once with a diff to the most similar request', async () => {
    const { test } = await tested()
    const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'Yes.' }))
    const first = await call([test], url, { prompt: 'You are the front desk.\nBe kind.' })
    await first.say('One?')
    await first.say('Two?')
    await first.write()
    const now = await call([test], undefined, { prompt: 'You are the front desk.\nBe brief.' })
    await expect(now.say('One?')).rejects.toThrow('no recorded response')
    await expect(now.say('Two?')).rejects.toThrow('no recorded response')
    expect(now.models.missingResponses).toEqual([
      {
        turn: 1,
        role: 'assistant',
        difference: [{ part: 'prompt', lines: [' You are the front desk.', '-Be kind.', '+Be brief.'] }],
      },
    ])
  })

  test('is compared with a request from the same turn', async () => {
    const { test } = await tested()
    const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'Yes.' }))
    const first = await call([test], url)
    for (const line of ['One?', 'Two?', 'Three?']) await first.say(line)
    await first.write()
    const now = await call([test], undefined)
    await now.say('One?')
    await expect(now.say('Second?')).rejects.toThrow('no recorded response')
    expect(now.models.missingResponses).toEqual([
      {
        turn: 2,
        role: 'assistant',
        difference: [
          { part: 'conversation', lines: [' assistant: Yes.', '-caller: Two?', '+caller: Second?'] },
        ],
      },
    ])
  })
})

test('invalid lines are errors with line numbers; an update drops them', async () => {
  const { folder, test } = await tested()
  const path = join(folder, 'made.cassette.ndjson')
  await writeFile(path, '{"kind":"cassette","version":1}\nhello\n{"kind":"answ')
  const played = await call([test], undefined)
  expect(played.cassettes.diagnostics).toMatchObject([
    {
      file: 'tests/made.cassette.ndjson',
      severity: 'error',
      code: 'foreign-line',
      position: { line: 2, column: 1 },
    },
    { severity: 'error', code: 'torn-line', position: { line: 3, column: 1 } },
  ])
  const { url } = await startAiMock(() => {})
  const updated = await call([test], url)
  expect(updated.cassettes.diagnostics.map(({ severity }) => severity)).toEqual(['warning', 'warning'])
  expect(await updated.write()).toMatchObject([{ unreadable: 2, removed: 0, responses: [] }])
  expect(await readFile(path, 'utf8')).toBe('{"kind":"cassette","version":1}\n')
})

test('a cassette that is not a file and a read-only folder are errors with their names', async () => {
  const { folder, test } = await tested()
  const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'Yes.' }))
  const updated = await call([test], url)
  await updated.say('One?')
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  await expect(updated.write()).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('made.cassette.ndjson'),
  })
  await rm(folder)
  await mkdir(join(folder, 'made.cassette.ndjson'), { recursive: true })
  await expect(call([test], undefined)).rejects.toMatchObject({
    kind: 'invalid',
    code: 'cassette-unreadable',
    details: { file: 'tests/made.cassette.ndjson' },
  })
})

test('rejects a cassette that is too large without reading it', async () => {
  const { folder, test } = await tested()
  await writeFile(join(folder, 'made.cassette.ndjson'), '')
  await truncate(join(folder, 'made.cassette.ndjson'), 33 * 1024 ** 2)
  await expect(call([test], undefined)).rejects.toMatchObject({
    kind: 'invalid',
    code: 'cassette-too-large',
    details: { file: 'tests/made.cassette.ndjson' },
  })
})

test('an environment secret never reaches a cassette, and its current value is restored as JSON', async () => {
  const { folder, test } = await tested()
  const secret = 's3cret "{{name}}"-x9 \r\n'
  const fill = (text: string) => text.replaceAll('{{name}}', 'Ada')
  const { url } = await startAiMock(mock => {
    mock.onMessage('Who?', { toolCalls: [{ name: 'book', arguments: { key: fill(secret) } }] })
    mock.onMessage('And?', { content: 'It is s3cret "Ada"-x9.' })
  })
  const options = { prompt: `Use ${fill(secret).trim()}`, variables: { SECRET: secret }, fill }
  const first = await call([test], url, options)
  const asked = await first.say('Who?')
  const said = await first.say('And?')
  await first.write()
  const text = await readFile(join(folder, 'made.cassette.ndjson'), 'utf8')
  for (const part of ['s3cret', 'x9']) expect(text).not.toContain(part)
  const again = await call([test], undefined, options)
  expect((await again.say('Who?')).calls).toEqual(asked.calls)
  // What was said without the end of its line has it now.
  expect((await again.say('And?')).text.replace(/\s+/g, '')).toBe(said.text.replace(/\s+/g, ''))
  const other = { prompt: 'Use another', variables: { SECRET: 'another' } }
  const changed = await call([test], undefined, other)
  expect((await changed.say('Who?')).calls[0]?.arguments).toMatch(/^\{"key":"another/)
})

test('never overwrites a cassette of a newer version', async () => {
  const { folder, test } = await tested()
  await writeFile(join(folder, 'made.cassette.ndjson'), '{"kind":"cassette","version":2}\n')
  const { url } = await startAiMock(() => {})
  const updated = await call([test], url)
  expect(updated.cassettes.diagnostics).toMatchObject([{ severity: 'error', code: 'other-version' }])
})

/** A recorded test of two turns in a folder of its own. */
async function tested(): Promise<{ readonly folder: string; readonly test: TestCase }> {
  const folder = await temporaryFolder()
  const turns = [0, 1].map(() => ({ location: place, caller: undefined, expect: [] }))
  const path = join(folder, 'made.test.yaml')
  return { folder, test: madeTest({ path, project: undefined, model: 'recorded', turns }) }
}

interface CallOptions {
  readonly prompt?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly fill?: (text: string) => string
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

/** A call of the first test, which asks as an assistant does; with a URL as an update, without as a test that is played. */
async function call(tests: readonly TestCase[], url: string | undefined, options: CallOptions = {}) {
  const { prompt = 'You are the front desk.', variables = {}, clock = realClock } = options
  const { signal = new AbortController().signal } = options
  const cassetteOptions: CassetteOptions = {
    tests,
    update: url !== undefined,
    connect: (_, wish) =>
      url === undefined
        ? undefined
        : createOpenAiModel({
            baseUrl: url,
            model: wish?.model ?? 'judge',
            apiKey: 'key',
            timeout: 5000,
            clock,
          }),
    variables: new Map(Object.entries(variables)),
    ...{ clock, signal },
  }
  const cassettes = await openCassettes(cassetteOptions)
  const [first = madeTest()] = tests
  let attempts = 0

  const attempt = async (test: TestCase) => {
    const messages: ChatMessage[] = [{ role: 'system', content: prompt }]
    let turn = 0
    const models = await cassettes.openModels(test, { number: attempts++, turn: () => turn })
    const wish = {
      customUrl: undefined,
      model: 'small',
      systemPrompt: prompt,
      temperature: 0,
      maxTokens: 256,
      splitter: undefined,
      fill: options.fill,
    }
    const ask = async (role: 'assistant' | 'judge', messages: readonly ChatMessage[]) => {
      const model = role === 'judge' ? models.judge : models.modelFor(wish, 'reply')
      return answerOf(model, messages, signal)
    }
    const reply = async () => {
      const answer = await ask('assistant', messages)
      messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.calls })
      return answer
    }
    return {
      cassettes,
      models,
      ask,
      say(content: string) {
        turn += 1
        messages.push({ role: 'user', content })
        return reply()
      },
      answered(toolCallId: string, content: string) {
        messages.push({ role: 'tool', toolCallId, content })
        return reply()
      },
      again: (next = test) => attempt(next),
      async write() {
        const results = tests.map(test => ({
          ...madeResult(test.turns.map(() => madeTurn(undefined, ''))),
          test,
        }))
        const changes = await cassettes.changes(results)
        for (const change of changes) await change.write(clock)
        return changes.map(({ write: _, ...change }) => change)
      },
    }
  }
  return attempt(first)
}

async function answerOf(model: ChatModel | undefined, messages: readonly ChatMessage[], signal: AbortSignal) {
  const calls = []
  let text = ''
  const request = { messages, tools: [tool], temperature: 0, maxTokens: 256 }
  for await (const delta of model?.complete(request, signal) ?? []) {
    if (delta.type === 'text') text += delta.text
    else calls.push(delta.call)
  }
  return { text, calls }
}
