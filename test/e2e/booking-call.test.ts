import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { type ChatBody, type ModelAnswer, startModelServer } from '../helpers/model-server.ts'
import { startBuiltSandbox, startBuiltTail } from '../helpers/run-bin.ts'
import { cliIn } from '../helpers/test-cli.ts'
import { startToolServer } from '../helpers/tool-server.ts'

/** Expected output of `webhook tail`; CALLYARD_UPDATE_GOLDEN=1 writes it again. */
const golden = fileURLToPath(new URL('golden/booking-call.ndjson', import.meta.url))

const assistant = (modelUrl: string, toolId: string, webhookUrl: string) => `
name: Workshop
welcomeMessage: Hello {{name}}, this is the workshop.
assistantProvider: custom-llm
assistantLLMUrl: ${modelUrl}
assistantSystemPrompt: You are the workshop of {{town}}.
assistantResponseSplitter: "|"
assistantToolIds: [${toolId}]
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
assistantKnowledgeBaseIds: [workshop]
endCallMessage: Goodbye, {{name}}!
assistantAnalysis:
  summary: { enabled: true }
  successEvaluation: { enabled: true, rubric: NumericScale }
  structuredData:
    enabled: true
    schema: { type: object, properties: { day: { type: string, format: date }, bicycle: { type: string } } }
assistantServer: { url: "${webhookUrl}" }
`

const bookingTool = (url: string) => `
type: function
function:
  name: book_appointment
  description: Books an appointment
  parameters: { type: object, properties: { day: { type: string, format: date } }, required: [day] }
messages:
  - { type: request-start, content: "One moment, {{name}}." }
  - { type: request-failed, content: The calendar does not answer. }
server: { url: "${url}", headers: { x-token: s3cret } }
`

const caller = [
  'When are you open?',
  'Book me in for 2026-03-04, please.',
  'And for 2026-03-08?',
  'That is all, thank you.',
]

/** A model that does what a good one would, and nothing by chance. */
function model({ messages, tools }: ChatBody): ModelAnswer {
  const [system] = messages
  const last = messages.at(-1)
  if (tools === undefined) {
    if (system?.content?.includes('JSON Schema'))
      return { say: '{"day":"2026-03-04","bicycle":7,"color":"red"}' }
    return { say: system?.content?.includes('Answer with') ? '9' : 'A bicycle was booked in.' }
  }
  if (last?.role === 'tool') {
    const answer = JSON.parse(last.content ?? '{}')
    if (answer.results !== undefined) return { say: `${answer.results[0]?.answer}|Anything else?` }
    return { say: answer.error === undefined ? `Done: ${answer.reference}.` : 'I could not book that day.' }
  }
  const said = last?.content ?? ''
  const day = /\d{4}-\d{2}-\d{2}/.exec(said)?.[0]
  if (day !== undefined) return { call: 'book_appointment', with: { day }, id: `call_${day}` }
  if (said.includes('all')) return { call: 'end_call', with: {} }
  return { call: 'search_knowledge_base', with: { query: said } }
}

/** Everything by the built commands over real HTTP, in folders and on ports of its own. */
async function runCall() {
  const folder = await temporaryFolder()
  const settings = { cwd: folder, env: { CALLYARD_CONFIG_DIR: join(folder, 'config') } }
  const modelServer = await startModelServer(model)
  const toolServer = await startToolServer({ json: { reference: 'A-17' } }, { status: 409 })
  const { child: sandbox, baseUrl, env } = await startBuiltSandbox(['--in-memory'], settings)
  const { child: tail, stream: events, url } = await startBuiltTail(['--until', 'finished'], settings)
  const inFolder = await cliIn(folder, { ...settings.env, ...env })
  const run = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await inFolder([...argv, '--json'])
    expect(exitCode, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  await writeFile(join(folder, 'tool.yaml'), bookingTool(toolServer.url))
  const tool = await run('tool', 'create', 'tool.yaml')
  await writeFile(
    join(folder, 'faq.yaml'),
    'faq:\n  - { question: When are you open?, answer: From nine to six. }\n  - { question: Where are you?, answer: At the bridge. }\n',
  )
  await run('faq', 'push', 'faq.yaml', '--kb', 'workshop')
  await writeFile(join(folder, 'assistant.yaml'), assistant(modelServer.url, tool._id, url))
  const { _id } = await run('assistant', 'create', 'assistant.yaml')
  const call = [
    'call',
    'start',
    '--yes',
    '--from',
    '+12025550100',
    '--to',
    '+12025550123',
    '--assistant-id',
    _id,
  ]
  const { sid } = await run(...call, '--var', 'name=Ada', '--metadata', `caller=${JSON.stringify(caller)}`)

  const told: string[] = []
  for await (const line of events) told.push(line)
  expect((await tail).exitCode).toBe(0)
  const record = await run('api', 'GET', `/calls/v1/conversations/${sid}/control`)
  sandbox.kill('SIGTERM')
  expect((await sandbox).exitCode).toBe(0)
  const transcript = told
    .map(line => line.replaceAll(baseUrl, 'http://sandbox').replaceAll(url, 'http://tail/'))
    .join('\n')
  return { transcript, record, modelServer, toolServer, sandboxLog: (await sandbox).stdout }
}

test('books an appointment with a model, a tool server, FAQ, webhooks and a tail, twice with the same result', async () => {
  const first = await runCall()
  if (process.env.CALLYARD_UPDATE_GOLDEN === '1') await writeFile(golden, `${first.transcript}\n`)
  expect(`${first.transcript}\n`).toBe(await readFile(golden, 'utf8'))
  expect((await runCall()).transcript).toBe(first.transcript)

  const { record, modelServer, toolServer, sandboxLog } = first
  expect(toolServer.requests.map(({ body }) => body.message.toolCall.arguments)).toEqual([
    { day: '2026-03-04' },
    { day: '2026-03-08' },
  ])
  expect(toolServer.requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'x-token': 's3cret', 'content-type': 'application/json' },
    body: {
      message: {
        type: 'tool-call',
        call: { id: record.id, status: 'ongoing', userNumber: '+12025550123' },
        customer: { number: '+12025550123' },
        toolCall: { id: 'call_2026-03-04', name: 'book_appointment' },
      },
    },
  })
  expect(record).toMatchObject({
    status: 'completed',
    callEndTriggerBy: 'assistant',
    toolCalls: [
      { name: 'search_knowledge_base' },
      { name: 'book_appointment', content: '{"reference":"A-17"}' },
      { name: 'book_appointment', failure: expect.stringContaining('409') },
      { name: 'end_call' },
    ],
    failures: [
      { part: 'tool', message: expect.stringContaining('409') },
      { part: 'analysis', message: expect.stringContaining('bicycle') },
    ],
    unsetVariables: ['town'],
  })
  expect(modelServer.requests[0]?.body).toMatchObject({
    temperature: 0,
    max_tokens: 256,
    messages: [{ role: 'system', content: 'You are the workshop of {{town}}.' }, {}, { role: 'user' }],
  })
  // Every later request contains the earlier messages and tool calls.
  const later = modelServer.requests.find(({ body }) => body.messages.at(-1)?.content === caller[2])
  expect(later?.body.messages.map(({ role }) => role).join(' ')).toBe(
    'system assistant user assistant tool assistant assistant user assistant tool assistant assistant user',
  )
  expect(sandboxLog).not.toContain('s3cret')
})
