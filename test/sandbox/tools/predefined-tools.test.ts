import { describe, expect, test } from 'vitest'
import { createTool, insertFaq, startTestSandbox, talk } from '../../helpers/test-sandbox.ts'
import { startToolServer } from '../../helpers/tool-server.ts'
import { useTool } from './use-tool.ts'

const everything = {
  knowledgeBase: true,
  endCall: true,
  appointment: true,
  volumeControl: true,
  waitList: true,
  callForward: true,
}
const switchedOn = (...names: readonly (keyof typeof everything)[]) => ({
  assistantPredefinedTools: Object.fromEntries(names.map(name => [name, true])),
})
const desk = { assistantKnowledgeBaseIds: ['desk'] }

describe('a model', () => {
  test('is offered what is switched on', async () => {
    const names = async (assistant: object) =>
      (await useTool({ assistant: { ...assistant } })).offered.map(({ name }) => name)
    expect(await names({})).toEqual([])
    expect(await names({ assistantPredefinedTools: { endCall: true, waitList: false } })).toEqual([
      'end_call',
    ])
    expect(await names({ assistantPredefinedTools: everything, ...desk })).toEqual([
      'search_knowledge_base',
      'end_call',
      'book_appointment_slot',
      'change_volume',
      'join_wait_list',
      'forward_call',
    ])
  })

  test('is offered function tools first; what cannot be offered is logged', async () => {
    const server = await startToolServer({ json: { mine: true } })
    const named = (name: string, url = server.url) => ({ function: { name }, server: { url } })
    const { offered, warnings, result } = await useTool({
      use: ['ping', {}],
      tools: [named('end_call'), named('ping'), named('ping', 'http://127.0.0.1:9/'), named('no good')],
      assistant: switchedOn('endCall', 'knowledgeBase', 'volumeControl'),
    })
    expect(offered.map(({ name }) => name)).toEqual(['end_call', 'ping', 'change_volume'])
    expect(result).toEqual({ mine: true })
    expect(warnings).toEqual([
      'two tools are called ping: only the first is offered',
      expect.stringMatching(/^the tool with the id .* is not offered: its function.name "no good" is not/),
      'the predefined tool knowledgeBase is not offered: assistantKnowledgeBaseIds names no knowledge base',
      'the predefined tool endCall is not offered: a function tool is called end_call too',
    ])
  })

  test.each([
    ['Hang up politely', 'Hang up politely'],
    [' ', expect.stringContaining('Ends the call')],
  ])('ends the call with its message; described as %j', async (endCallToolDescription, description) => {
    const assistant = { ...switchedOn('endCall'), endCallMessage: 'Goodbye!', endCallToolDescription }
    const { record, said, offered, result } = await useTool({ use: ['end_call', {}], assistant })
    expect(offered[0]?.description).toEqual(description)
    expect(result).toEqual({ status: 'ending' })
    expect(said).toEqual(['Goodbye!'])
    expect(record.callEndTriggerBy).toBe('assistant')
  })

  const booked = {
    status: 'booked',
    reference: expect.stringMatching(/^SANDBOX-[0-9A-F]{6}$/),
    sandbox: true,
  }
  const noDay = 'day is missing: ask the caller for the day, as YYYY-MM-DD'

  test.each<[keyof typeof everything, string, unknown, unknown]>([
    [
      'appointment',
      'book_appointment_slot',
      { day: '2026-05-04', time: '14:30', note: 'Brakes' },
      { ...booked, day: '2026-05-04', time: '14:30', note: 'Brakes' },
    ],
    [
      'appointment',
      'book_appointment_slot',
      { day: '2026-05-04', time: '', note: null },
      { ...booked, day: '2026-05-04', time: '09:00' },
    ],
    ['appointment', 'book_appointment_slot', {}, { error: noDay }],
    ['appointment', 'book_appointment_slot', { day: null, time: '10:00' }, { error: noDay }],
    [
      'appointment',
      'book_appointment_slot',
      { day: 'tomorrow' },
      { error: 'day is "tomorrow", which is not a day such as YYYY-MM-DD' },
    ],
    [
      'appointment',
      'book_appointment_slot',
      { day: '2026-02-30' },
      { error: 'day is "2026-02-30", which is not a day such as YYYY-MM-DD' },
    ],
    [
      'appointment',
      'book_appointment_slot',
      { day: '2026-05-04', time: '3 pm' },
      { error: 'time is "3 pm", which is not a time such as HH:MM' },
    ],
    [
      'appointment',
      'book_appointment_slot',
      { day: '2026-05-04', time: 15 },
      { error: 'time is 15, which is not a time such as HH:MM' },
    ],
    [
      'waitList',
      'join_wait_list',
      { note: 'A table' },
      { status: 'added', position: expect.any(Number), note: 'A table', sandbox: true },
    ],
    ['volumeControl', 'change_volume', { direction: 'down' }, { volume: 40, sandbox: true }],
    ['volumeControl', 'change_volume', { direction: 'louder' }, { error: 'direction must be up or down' }],
  ])('%s simulates %s(%j)', async (name, tool, given, expected) => {
    const { toolCall, result } = await useTool({ use: [tool, given], assistant: switchedOn(name) })
    expect(result).toEqual(expected)
    expect(toolCall).toMatchObject({ simulated: true })
    expect(toolCall).not.toHaveProperty('failure')
  })

  const sales = { name: 'Sales', phoneNumber: '+12025550101' }
  const repairs = { name: 'Repairs', phoneNumber: '+12025550102', extension: '7' }
  const unnamed = { phoneNumber: '+12025550103', extension: '9' }
  const several = [sales, repairs, unnamed, { name: 'Sales', phoneNumber: '+12025550104' }]
  const labels = ['Sales', 'Repairs', '+12025550103, extension 9']
  const choices = `use one of ${labels.map(label => JSON.stringify(label)).join(', ')}`
  const forward = (callForwardData: unknown, given: unknown) =>
    useTool({ use: ['forward_call', given], assistant: { ...switchedOn('callForward'), callForwardData } })

  test.each([
    [sales, {}, sales, 'Sales'],
    [[{ name: 'Nobody' }, sales], { name: 'sales' }, sales, 'Sales'],
    [several, { name: ' repairs' }, repairs, 'Repairs'],
    [several, { name: 'Sales' }, sales, 'Sales'],
    [several, { name: labels[2] }, unnamed, labels[2]],
  ])('forwards the call to one of %j with %j', async (targets, given, forwardedTo, label) => {
    const { record, said, offered, result } = await forward(targets, given)
    expect(record).toMatchObject({ status: 'forwarded', forwardedTo })
    expect(result).toEqual({ status: 'forwarding', to: label })
    expect(said).toEqual([`One moment, I am putting you through to ${label}.`])
    const choice = { name: { type: 'string', enum: labels, description: 'Whom the caller wants' } }
    expect(offered[0]?.parameters).toEqual(
      targets === several
        ? { type: 'object', properties: choice, required: ['name'] }
        : { type: 'object', properties: {} },
    )
  })

  test.each([
    [several, {}, `name is missing: ${choices}`],
    [several, { name: '' }, `name is missing: ${choices}`],
    [several, { name: 'Billing' }, `no target is called "Billing": ${choices}`],
    [[], { name: 'Sales' }, 'there is no number to forward the caller to'],
    [[{ name: 'Sales' }], { name: 'Sales' }, 'there is no number to forward the caller to'],
    [[{ phoneNumber: ' ' }], { name: 'Sales' }, 'there is no number to forward the caller to'],
  ])('does not forward to one of %j with %j', async (targets, given, error) => {
    const { record, toolCall, result } = await forward(targets, given)
    expect(record.status).toBe('completed')
    expect(result).toEqual({ error })
    expect(toolCall?.failure).toEqual(
      targets === several ? undefined : expect.stringContaining('callForwardData'),
    )
  })

  const search = (given: unknown) =>
    useTool({
      use: ['search_knowledge_base', given],
      assistant: { ...switchedOn('knowledgeBase'), assistantKnowledgeBaseIds: ['desk', 'unknown', 'desk'] },
      fields: { assistantOverrides: { dynamicVariables: { place: 'the building' } } },
      async prepare(sandbox) {
        await insertFaq(sandbox, {
          'When are you open?': 'Nine to five.',
          'Are you open on Saturday?': 'Until one.',
          'Are you open on public holidays?': 'No.',
          'Do you open parcels?': 'Never.',
        })
        const parking = { question: 'Where can I park?', answer: 'Behind {{place}}.', category: 'way' }
        const path = (id: string) => `/kb/v1/knowledge-bases/${id}/faq-template`
        await sandbox.send('POST', path('desk'), { faq: [parking] })
        await sandbox.send('POST', path('hidden'), { faq: [{ question: 'Open?', answer: 'Not for you.' }] })
      },
    })

  test('searches the knowledge bases of the assistant for at most three entries, the best first', async () => {
    const { result } = await search({ query: 'open on saturday' })
    expect(result.results).toHaveLength(3)
    expect(result.results[0]).toEqual({ question: 'Are you open on Saturday?', answer: 'Until one.' })
    expect(JSON.stringify(result)).not.toContain('Not for you.')
  })

  test.each([
    [
      { query: 'where can I park' },
      { results: [{ question: 'Where can I park?', answer: 'Behind the building.', category: 'way' }] },
    ],
    [{ query: 'the weather tomorrow' }, { results: [] }],
    [{}, { error: 'query is missing: a text' }],
    [{ query: '  ' }, { error: 'query is missing: a text' }],
    [{ query: 7 }, { error: 'query is missing: a text' }],
  ])('finds with %j: %j', async (given, expected) => {
    expect((await search(given)).result).toEqual(expected)
  })
})

describe('without a model, a line of the caller', () => {
  const assistant = {
    assistantPredefinedTools: everything,
    ...desk,
    callForwardData: [
      { name: 'Sales', phoneNumber: '+12025550101' },
      { name: 'Repairs', phoneNumber: '+12025550102' },
    ],
  }
  const toolCalls = async (...caller: readonly string[]) =>
    (await talk(await startTestSandbox(), caller, assistant)).toolCalls ?? []

  test.each([
    ['Can I speak to a person, please?', 'forward_call', { name: 'Sales' }],
    ['Put me through to repairs.', 'forward_call', { name: 'Repairs' }],
    ['I want to make an appointment', 'book_appointment_slot', {}],
    [
      'Book an appointment on 2026-05-04 at 2:30 p.m.!',
      'book_appointment_slot',
      { day: '2026-05-04', time: '14:30' },
    ],
    ['Book a day, 2026-05-04T16:00', 'book_appointment_slot', { day: '2026-05-04', time: '16:00' }],
    ['Book a day, call 12026-05-041', 'book_appointment_slot', {}],
    ['Book a day, ten amber lamps, 10 amber lamps', 'book_appointment_slot', {}],
    ['Please put me on the waiting list', 'join_wait_list', {}],
    ['Louder!', 'change_volume', { direction: 'up' }],
    ['I can’t hear you', 'change_volume', { direction: 'up' }],
    ['That is too loud', 'change_volume', { direction: 'down' }],
    ['Louder, or let me talk to a human', 'forward_call', { name: 'Sales' }],
  ])('%j uses %s', async (line, name, given) => {
    expect(await toolCalls(line)).toMatchObject([{ name, arguments: given }])
  })

  test.each([
    'When are you open?',
    'Can I cancel an appointment?',
    'A personal question',
    'How long is the waiting list?',
    'See you on 2026-05-04',
    '2026-05-04, 10:00',
    '…',
  ])('%j uses no tool', async line => {
    expect(await toolCalls(line)).toEqual([])
  })

  test('is a day only where the assistant asked for one', async () => {
    expect(await toolCalls('I need an appointment', '2026-05-04, 10:00')).toMatchObject([
      { arguments: {} },
      { arguments: { day: '2026-05-04', time: '10:00' } },
    ])
    expect(await toolCalls('I need an appointment', 'Never mind')).toHaveLength(1)
  })

  test('gets a reply that says what is simulated', async () => {
    const said = async (...caller: readonly string[]) =>
      (await talk(await startTestSandbox(), caller, assistant)).messages.flatMap(({ role, text }) =>
        role === 'assistant' ? [text] : [],
      )
    const ask = 'This is the callyard sandbox: for an appointment, give me a day as YYYY-MM-DD.'
    expect(await said('I need an appointment', '2026-02-30', '2026-05-04')).toEqual([
      ask,
      ask,
      expect.stringMatching(
        /^This is the callyard sandbox in place of a calendar: 2026-05-04 at 09:00 is booked, reference SANDBOX-\w{6}\.$/,
      ),
    ])
    expect(await said('Put me on the wait list')).toEqual([
      expect.stringMatching(/^This is the callyard sandbox in place of a wait list: you are number [1-9]\.$/),
    ])
    const lines = [...Array(6).fill('Louder'), ...Array(11).fill('Too loud')]
    expect(await said(...lines)).toEqual(
      [60, 70, 80, 90, 100, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 0, 0].map(
        volume => `This is the callyard sandbox in place of a telephone: the volume is ${volume}.`,
      ),
    )
  })

  test('gets references and positions that follow from the call and the use', async () => {
    const caller = ['Book an appointment on 2026-05-04', 'Book an appointment on 2026-05-04']
    const sandbox = await startTestSandbox()
    const references = async () =>
      ((await talk(sandbox, caller, assistant)).toolCalls as { content: string }[]).map(
        ({ content }) => JSON.parse(content).reference,
      )
    const all = [...(await references()), ...(await references())]
    expect(new Set(all).size).toBe(4)
    await sandbox.first.reset()
    expect([...(await references()), ...(await references())]).toEqual(all)
    const calls = await talk(sandbox, Array(100).fill('Put me on the wait list'), assistant)
    const positions = (calls.toolCalls as { content: string }[]).map(
      ({ content }) => JSON.parse(content).position,
    )
    expect(Math.min(...positions)).toBe(1)
    expect(Math.max(...positions)).toBe(9)
  })

  test('uses neither a tool that is switched off nor a function tool of its name', async () => {
    const sandbox = await startTestSandbox()
    const server = await startToolServer()
    const own = await createTool(sandbox, {
      function: { name: 'change_volume' },
      server: { url: server.url },
    })
    const off = await talk(sandbox, ['Let me talk to a person', 'I need an appointment', 'Louder'], {
      ...switchedOn('volumeControl'),
      assistantToolIds: [own._id],
    })
    expect(off).not.toHaveProperty('toolCalls')
    expect(server.requests).toEqual([])
  })

  test('is told where there is nobody to forward to, which is a failure', async () => {
    const sandbox = await startTestSandbox()
    const line = 'I want to speak to a person.'
    const record = await talk(sandbox, line, { ...switchedOn('callForward'), callForwardData: [] })
    expect(record.messages.at(-1)?.text).toBe(
      'This is the callyard sandbox: I have no number to put you through to.',
    )
    const message = 'callForward is enabled and callForwardData has no phoneNumber to forward to'
    expect(record.failures).toEqual([{ part: 'tool', message, failedAt: expect.any(String) }])
    expect(sandbox.events).toContainEqual({ kind: 'warning', callId: record.id, message })
  })
})
