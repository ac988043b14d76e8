import { readdir } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { starterProject } from '../../src/cli/commands/starter-project.ts'
import { CallyardError, receiveWebhooks } from '../../src/library/index.ts'
import { startSandbox } from '../../src/library/sandbox.ts'
import { errorOf } from '../helpers/errors.ts'
import { folderOf } from '../project/apply/project-on-disk.ts'

type Options = Parameters<typeof startSandbox>[0]

async function sandboxOf(options: Options = {}) {
  const sandbox = await startSandbox({ env: {}, ...options })
  onTestFinished(sandbox.close)
  return sandbox
}

async function starter() {
  return sandboxOf({ project: await folderOf(starterProject()), seed: 7 })
}

test('returns messages, actions and the end of a call in a project', async () => {
  const sandbox = await starter()
  const call = await sandbox.call({
    assistant: 'front-desk',
    caller: ['When are you open on Saturday?', 'Thank you, goodbye.'],
    variables: { name: 'Ada' },
  })
  expect(call).toMatchObject({ status: 'completed', endedBy: 'assistant', phoneCallStatus: undefined })
  expect(call.id).toMatch(/^CC-/)
  expect(call.transcript[0]).toEqual({
    role: 'assistant',
    text: 'Hello Ada, this is the AI front desk of Spoke and Chain. How can I help?',
    at: expect.stringMatching(/^2026-/),
  })
  expect(call.transcript.map(({ role }) => role)).toEqual([
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  expect(String(call.transcript)).toMatchInlineSnapshot(`
    "assistant  Hello Ada, this is the AI front desk of Spoke and Chain. How can I help?
    user       When are you open on Saturday?
    assistant  We are open Monday to Friday from nine to six, and on Saturday until one.
    user       Thank you, goodbye.
    assistant  Thank you for calling. Goodbye!"
  `)
  expect(call.durationMs).toBeGreaterThan(5000)
  expect(call.events.map(event => event.message.type)).toEqual([
    'status-update',
    'status-update',
    ...Array.from({ length: 5 }, () => 'conversation-update'),
    'status-update',
  ])
  expect(call.events.at(-1)).toMatchObject({
    message: { call: { id: call.id, status: 'finished' }, analysis: call.analysis },
  })
  expect(call.analysis).toMatchObject({ summary: expect.any(String) })
})

test('String(transcript) has one line per message, however long', async () => {
  const sandbox = await sandboxOf()
  const long = 'word '.repeat(60).trim()
  const { transcript } = await sandbox.call({
    assistant: { welcomeMessage: `${long}\nand \u001b[31mmore` },
    caller: ['/hangup'],
  })
  expect(String(transcript)).toBe(`assistant  ${long} ↵ and \\x1b[31mmore`)
})

test('the same seed produces the same call, even in another sandbox of the process', async () => {
  const [one, other] = await Promise.all([starter(), starter()])
  const options = { assistant: 'front-desk', caller: ['Are you open?', 'Goodbye'] }
  const calls = await Promise.all([one.call(options), other.call(options)])
  expect(calls[0].transcript).toEqual(calls[1].transcript)
  expect([one.ids, calls[0].id]).toEqual([other.ids, calls[1].id])
  expect(one.baseUrl).not.toBe(other.baseUrl)
})

test('an assistant by its id, inline, or the newest', async () => {
  const sandbox = await starter()
  const id = sandbox.ids['assistant/front-desk'] ?? ''
  const caller = '/hangup'
  expect((await sandbox.call({ assistant: id, caller })).record).toMatchObject({ assistantId: id })
  expect((await sandbox.call({ caller })).record).toMatchObject({ assistantId: id })
  const inline = await sandbox.call({
    assistant: { name: 'Night', welcomeMessage: 'We are closed, {{name}}.' },
    variables: { name: 'Ada' },
    caller,
  })
  expect(inline.transcript[0]).toMatchObject({ text: 'We are closed, Ada.' })
  expect(inline.endedBy).toBe('user')
})

test('webhooks arrive before the call is handed back, and are those that events lists', async () => {
  const receiver = await receiveWebhooks()
  onTestFinished(receiver.close)
  const sandbox = await sandboxOf({
    project: await folderOf(starterProject()),
    env: { WEBHOOK_URL: receiver.url },
  })
  const { events } = await sandbox.call({ assistant: 'front-desk', caller: ['Goodbye'] })
  for (const event of events) expect((await receiver.next({}, { timeoutMs: 0 })).body).toEqual(event)
  await expect(receiver.next({}, { timeoutMs: 0 })).rejects.toMatchObject({ code: 'timeout' })
})

test('events are those that the assistant asks for', async () => {
  const sandbox = await sandboxOf()
  const { events } = await sandbox.call({
    assistant: { assistantServer: { url: 'http://127.0.0.1:9/', messages: ['status-update'] } },
    caller: '/hangup',
  })
  expect(events.map(event => event.message.type)).toEqual(['status-update', 'status-update', 'status-update'])
})

test('nothing leaves the machine: a tool elsewhere is simulated, and a model elsewhere fails', async () => {
  const sandbox = await sandboxOf({
    project: await folderOf({
      'tools/book.yaml':
        'type: function\nfunction: {name: book_visit, description: Book a visit}\nserver: {url: "https://203.0.113.9/book"}\n',
      'assistants/desk.yaml': 'name: Desk\nassistantToolIds: ["${tool:book}"]\n',
    }),
  })
  const { toolCalls } = await sandbox.call({ assistant: 'desk', caller: ['Please book a visit', '/hangup'] })
  expect(toolCalls).toMatchObject([
    {
      name: 'book_visit',
      simulated: true,
      content: expect.stringContaining('203.0.113.9 is not one of the hosts'),
    },
  ])
  const { record } = await sandbox.call({
    assistant: { assistantProvider: 'custom-llm', assistantLLMUrl: 'https://203.0.113.9/v1' },
    caller: ['Hello', '/hangup'],
  })
  expect(record.failures).toMatchObject([{ part: 'model', message: expect.stringContaining('203.0.113.9') }])
})

test('a call copies its input and its output', async () => {
  const sandbox = await sandboxOf()
  const metadata = { order: { number: 1 } }
  const call = await sandbox.call({ assistant: {}, caller: '/hangup', metadata })
  metadata.order.number = 2
  Reflect.set(call.record, 'status', 'queued')
  expect(sandbox.calls()).toMatchObject([
    { status: 'completed', record: { metadata: { order: { number: 1 } } } },
  ])
})

test('rejects data that JSON does not support, and a snapshot still works', async () => {
  const sandbox = await sandboxOf()
  const circle: Record<string, unknown> = {}
  circle.self = circle
  for (const metadata of [{ id: 1n }, circle])
    expect(await errorOf(sandbox.call({ assistant: {}, metadata }))).toMatchObject({
      code: 'not-json',
      field: 'metadata',
    })
  await sandbox.snapshot()
  for (const value of [1n, Number.NaN])
    expect(String(await errorOf(startSandbox({ port: value as never })))).toContain(`port is ${value};`)
})

test('allowHosts accepts hosts in any case, with or without the protocol’s port', async () => {
  const reaches = async (allowHosts: readonly string[], url: string) => {
    const sandbox = await sandboxOf({ allowHosts })
    const { record } = await sandbox.call({
      assistant: { assistantProvider: 'custom-llm', assistantLLMUrl: url },
      caller: ['Hello', '/hangup'],
    })
    return !JSON.stringify(record.failures).includes('is not one of the hosts')
  }
  expect(await reaches(['Model.Invalid'], 'http://model.invalid/v1')).toBe(true)
  expect(await reaches(['model.invalid:80'], 'http://model.invalid/v1')).toBe(true)
  expect(await reaches(['model.invalid:81'], 'http://model.invalid/v1')).toBe(false)
})

test('faults and the list of requests', async () => {
  const receiver = await receiveWebhooks()
  onTestFinished(receiver.close)
  const sandbox = await sandboxOf()
  const assistant = { assistantServer: { url: receiver.url } }
  const fault = sandbox.fault({ drop: 1, type: 'conversation-update' })
  const call = await sandbox.call({ assistant, caller: '/hangup' })
  expect(call.events.length).toBeGreaterThan(3)
  await receiver.next({ status: 'finished' })
  await expect(receiver.next('conversation-update', { timeoutMs: 0 })).rejects.toThrow('no event arrived')
  fault.remove()
  await sandbox.call({ assistant, caller: '/hangup' })
  await receiver.next('conversation-update', { timeoutMs: 0 })

  sandbox.fault({ '429': 1, path: '/assistants', times: 1 })
  const create = () =>
    fetch(`${sandbox.baseUrl}/assistants/v1/assistants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
      body: '{"name":"Desk"}',
    })
  expect([(await create()).status, (await create()).status]).toEqual([429, 200])
  expect(sandbox.requests({ path: '/assistants/v1' })).toMatchObject([
    { method: 'POST', status: 429, fault: '429' },
    { status: 200, body: { name: 'Desk' }, answer: { name: 'Desk' } },
  ])
  expect(sandbox.requests({ method: 'PATCH' })).toEqual([])
  // What is not known is missing: a test may compare a request as a whole.
  for (const request of sandbox.requests()) expect(Object.values(request)).not.toContain(undefined)
})

test('reset restores the applied project, and restore a snapshot', async () => {
  const sandbox = await starter()
  const options = { assistant: 'front-desk', caller: ['Goodbye'] }
  const first = await sandbox.call(options)
  const saved = await sandbox.snapshot()
  const second = await sandbox.call(options)
  expect(sandbox.calls().map(({ id }) => id)).toEqual([first.id, second.id])
  await sandbox.restore(JSON.parse(JSON.stringify(saved)))
  expect(sandbox.calls().map(({ id }) => id)).toEqual([first.id])
  expect(await sandbox.call(options)).toMatchObject({ id: second.id, transcript: second.transcript })
  sandbox.reset()
  expect(sandbox.calls()).toEqual([])
  expect(await sandbox.call(options)).toMatchObject({ id: first.id, transcript: first.transcript })
})

test('a call dropped by a reset or after close is an error', async () => {
  const sandbox = await sandboxOf({ frozen: true })
  const call = errorOf(sandbox.call({ assistant: {}, caller: '/hangup' }))
  await sandbox.advance(1)
  await sandbox.reset()
  expect(await call).toMatchObject({ code: 'dropped' })
  await sandbox.close()
  expect(await errorOf(sandbox.call({ assistant: {} }))).toMatchObject({ code: 'closed' })
  expect(await errorOf(sandbox.reset())).toMatchObject({ code: 'closed' })
  expect(await errorOf(sandbox.world())).toMatchObject({ code: 'closed' })
})

test('time is the test’s', async () => {
  const sandbox = await sandboxOf({ frozen: true })
  const began = sandbox.now()
  const call = sandbox.call({ assistant: { welcomeMessage: 'Hi' }, caller: ['/say-nothing 20', '/hangup'] })
  await sandbox.advance('10m')
  expect(sandbox.now() - began).toBe(600_000)
  expect((await call).durationMs).toBeGreaterThan(20_000)
  sandbox.freeze(false)
  sandbox.setPace(0)
  await sandbox.call({ assistant: {}, caller: '/hangup' })
})

test('worlds are isolated, and each starts with the project', async () => {
  const sandbox = await starter()
  const world = await sandbox.world({ seed: 3 })
  const { id } = await world.call({ assistant: 'front-desk', caller: '/hangup' })
  expect(world.calls().map(call => call.id)).toEqual([id])
  expect(sandbox.calls()).toEqual([])
  expect(world.baseUrl).toBe(sandbox.baseUrl)
  expect(world.apiKey).not.toBe(sandbox.apiKey)
  await world.close()
  const answer = await fetch(`${world.baseUrl}/assistants/v1/assistants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}` },
  })
  expect(answer.status).toBe(401)
  await sandbox.call({ assistant: 'front-desk', caller: '/hangup' })
})

test('an unanswered call has no messages', async () => {
  const sandbox = await sandboxOf({ numbers: [{ number: '+12025550142', outcome: ['busy', 'answered'] }] })
  const call = () => sandbox.call({ assistant: { name: 'Desk' }, to: '+12025550142', caller: '/hangup' })
  expect(await call()).toMatchObject({
    phoneCallStatus: 'busy',
    endedBy: 'system',
    durationMs: 0,
    transcript: [],
  })
  expect(await call()).toMatchObject({ phoneCallStatus: undefined, endedBy: 'user' })
})

test('an error has no internal error as its cause', async () => {
  const sandbox = await starter()
  const { port } = new URL(sandbox.baseUrl)
  const internal = await Promise.all([
    errorOf(startSandbox({ project: 'nowhere' })),
    errorOf(startSandbox({ project: await folderOf({ 'assistants/desk.yaml': 'nme: Desk\n' }) })),
    errorOf(sandbox.call({ assistant: { name: 'x', idleTimout: 3 } })),
    errorOf(sandbox.advance(-1)),
    errorOf(sandbox.world({ apiKey: sandbox.apiKey })),
  ])
  for (const error of internal) {
    expect(error).toBeInstanceOf(CallyardError)
    expect(error).not.toHaveProperty('cause')
  }
  expect(await errorOf(startSandbox({ port: Number(port) }))).toMatchObject({ cause: { code: 'EADDRINUSE' } })
})

test('an invalid project prints all findings with positions in the error', async () => {
  const project = await folderOf({ 'assistants/desk.yaml': 'name: Desk\nidleTimout: 3\n' })
  const error = await errorOf(startSandbox({ project, cwd: project }))
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({
    code: 'invalid-files',
    findings: [{ file: 'assistants/desk.yaml', line: 2, column: 1, field: 'idleTimout' }],
  })
  expect(String(error)).toContain(
    'assistants/desk.yaml:2:1  idleTimout is not a known field; did you mean idleTimeout?',
  )
  expect(await readdir(project)).toEqual(['assistants', 'callyard.yaml'])
})

const refusedOptions = [
  [{ projekt: '.' }, 'projekt', 'did you mean project?'],
  [{ pace: -1 }, 'pace', undefined],
  [{ pace: Number.NaN }, 'pace', undefined],
  [{ seed: 1.5 }, 'seed', undefined],
  [{ port: 'x' }, 'port', undefined],
  [{ llm: { url: 'nowhere' } }, 'llm.url', undefined],
  [{ numbers: [{ number: '1', outcome: 'bussy' }] }, 'numbers[0].outcome', 'did you mean busy?'],
  [{ vocabulary: { provider: 'x' } }, 'vocabulary.provider', undefined],
  [{ allowHosts: 'x' }, 'allowHosts', undefined],
  [{ env: { A: 1 } }, 'env.A', undefined],
  [
    { allowHosts: ['https://hooks.example.com/'] },
    'allowHosts[0]',
    'pass a host, such as hooks.example.com, with or without a port',
  ],
  ['./desk', 'options', undefined],
] as const

test.for(refusedOptions)('startSandbox rejects %j by its field', async ([options, field, hint]) => {
  const error = await errorOf(Reflect.apply(startSandbox, undefined, [options]))
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, ...(hint === undefined ? {} : { hint }) })
  expect(String(error)).toMatch(/^CallyardError: startSandbox: /)
})

const refusedCalls = [
  [{ asistant: 'x' }, 'asistant', 'did you mean assistant?'],
  [{ assistant: 'frontdesk' }, 'assistant', 'did you mean front-desk?'],
  [{ assistant: 3 }, 'assistant', undefined],
  [{ assistant: { name: 'x', idleTimout: 3 } }, 'assistant.idleTimout', 'did you mean idleTimeout?'],
  [{ assistant: { assistantToolIds: ['t'] } }, 'assistant.assistantToolIds[0]', undefined],
  [{ assistant: 'front-desk', caller: ['Hi', '/hangupp'] }, 'caller[1]', undefined],
  [{ assistant: 'front-desk', caller: 3 }, 'caller', undefined],
  [{ assistant: 'front-desk', variables: { a: 1 } }, 'variables.a', undefined],
  [{ assistant: 'front-desk', overrides: { welcomeMesage: 'x' } }, 'overrides.welcomeMesage', undefined],
  [{ assistant: 'front-desk', to: '' }, 'to', undefined],
] as const

test.for(refusedCalls)('call rejects %j by its field', async ([options, field, hint]) => {
  const sandbox = await starter()
  const error = await errorOf(Reflect.apply(sandbox.call, undefined, [options]))
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, ...(hint === undefined ? {} : { hint }) })
  expect(String(error)).toMatch(/^CallyardError: call: /)
  expect(String(error)).not.toMatch(/assistantOverrides|userNumber|assistantNumber/)
})

test('the other functions reject invalid input too', async () => {
  const sandbox = await sandboxOf()
  expect(await errorOf(() => sandbox.fault({}))).toMatchObject({ code: 'missing' })
  expect(await errorOf(() => sandbox.fault({ drop: 2 }))).toMatchObject({ field: 'drop' })
  expect(await errorOf(() => sandbox.fault({ drip: 1 } as never))).toMatchObject({
    field: 'drip',
    hint: 'did you mean drop?',
  })
  expect(await errorOf(() => sandbox.fault({ '429': 1, path: 'assistants' }))).toMatchObject({
    field: 'path',
  })
  expect(String(await errorOf(() => sandbox.fault(undefined as never)))).toContain(
    'the rule is missing; add the rule: ',
  )
  expect(String(await errorOf(sandbox.restore('x' as never)))).toContain(
    'restore: the snapshot is "x"; allowed: ',
  )
  expect(await errorOf(() => sandbox.setPace(-1))).toMatchObject({ field: 'pace' })
  expect(await errorOf(() => sandbox.freeze('yes' as never))).toMatchObject({ field: 'on' })
  expect(await errorOf(() => sandbox.requests({ paht: '/' } as never))).toMatchObject({ field: 'paht' })
  for (const time of ['2 days', -1, Number.NaN, '']) {
    expect(await errorOf(sandbox.advance(time))).toBeInstanceOf(CallyardError)
  }
  expect(await errorOf(sandbox.restore({ format: 'x' } as never))).toMatchObject({ field: 'format' })
  const entries = Array.from({ length: 150_000 }, () => ({ kind: 'tool', record: {} }))
  expect(await errorOf(sandbox.restore({ ...(await sandbox.snapshot()), entries } as never))).toMatchObject({
    code: 'too-many-findings',
  })
  expect(await errorOf(sandbox.world({ sed: 1 } as never))).toMatchObject({
    field: 'sed',
    hint: 'did you mean seed?',
  })
  expect(await errorOf(sandbox.world({ apiKey: sandbox.apiKey }))).toMatchObject({
    code: 'key-taken',
    field: 'apiKey',
  })
  const { port } = new URL(sandbox.baseUrl)
  expect(await errorOf(startSandbox({ port: Number(port) }))).toMatchObject({
    code: 'port-taken',
    field: 'port',
  })
})
