import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { starterProject } from '../../../src/cli/commands/starter-project.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { type ReadDocument, readOpenApi } from '../../helpers/openapi.ts'
import { startPrism } from '../../helpers/prism.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { startTestSandbox, type TestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550123']

/** A sandbox behind Prism's proxy, and the command line that talks to it. */
async function behindPrism(sandbox: TestSandbox, files: Readonly<Record<string, string>> = {}) {
  const { body: document } = await sandbox.send('GET', '/openapi.json')
  const prism = await startPrism(sandbox.baseUrl, document)
  const cli = await testCli(files)
  const run = async (exitCode: number, argv: readonly string[], env: Record<string, string> = {}) => {
    const result = await cli.runWith(
      {
        clock: realClock,
        env: { CALLYARD_BASE_URL: prism.baseUrl, CALLYARD_API_KEY: sandbox.apiKey, ...env },
      },
      ...argv,
    )
    expect(result, argv.join(' ')).toMatchObject({ exitCode })
    return result
  }
  return { prism, document, run }
}

test('a project, its changes, calls and refusals go through Prism without a violation; so do the webhooks', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const starter = starterProject()
  const { prism, document, run } = await behindPrism(sandbox, {
    ...starter,
    'changed.yaml': `${starter['tools/book-appointment.yaml']}\n`,
    'more.yaml': 'knowledgeBaseId: workshop\nfaq:\n- {question: Where?, answer: Here}\n',
    'update.yaml': 'async: true\nmessages: [{type: request-start, content: One moment}]\n',
    'unknown-tool.yaml': 'name: Desk\nassistantToolIds: [gone]\n',
    'inline.yaml': `welcomeMessage: Hello\nassistantServer: {url: "${sink.url}"}\n`,
  })
  await run(0, ['apply', '--yes'], { WEBHOOK_URL: sink.url })
  await run(0, ['faq', 'push', 'more.yaml'])
  await run(0, ['tool', 'update', 'book-appointment', 'update.yaml'])
  await run(0, ['call', 'start', ...numbers, '--assistant', 'front-desk', '--yes'])
  await run(0, ['call', 'start', ...numbers, '--assistant', 'inline.yaml', '--yes'])
  const connect = ['call', 'connect', '--phone-number-id', 'n1', '--to', '+12025550123', '--yes', '--json']
  const { id } = z.looseObject({ id: z.string() }).parse(JSON.parse((await run(0, connect)).stdout))
  await sandbox.idle()
  await run(0, ['api', 'GET', `/calls/v1/conversations/${id}/control`])
  await run(5, ['api', 'POST', `/calls/v1/conversations/${id}/control`, '--body', '{"type":"hangup"}'])

  await run(4, ['call', 'start', ...numbers, '--yes'], { CALLYARD_API_KEY: 'wrong' })
  await run(5, ['call', 'start', ...numbers, '--assistant-id', 'gone', '--yes'])
  await run(5, ['assistant', 'create', 'unknown-tool.yaml'])
  await run(5, ['tool', 'update', 'gone', 'update.yaml'])
  const change = JSON.stringify({ faq: [{ id: 'gone', question: 'Q', answer: 'A' }] })
  for (const id of ['workshop', 'gone'])
    await run(5, ['api', 'PUT', `/kb/v1/knowledge-bases/${id}/faq-template`, '--body', change])
  expect(prism.violations).toEqual([])
  const answered = sandbox.events.flatMap(event => (event.kind === 'request' ? [event.status] : []))
  expect(new Set(answered)).toEqual(new Set([200, 401, 404, 409, 422]))
  // What has no key is not logged: which sandbox this is.
  expect(prism.forwarded()).toBeGreaterThan(answered.length)

  const api = readOpenApi(document)
  const types = sink.received.map(({ body }) => body.message.type)
  expect(new Set(types)).toEqual(new Set(['status-update', 'conversation-update']))
  for (const { body } of sink.received) expect(flawsOf(api, body.message.type, body)).toBeNull()
})

test('refusals on request go through it too', async () => {
  for (const [fault, exitCode] of [
    ['429', 5],
    ['500', 6],
  ] as const) {
    const { prism, run } = await behindPrism(await startTestSandbox({ httpFaults: { [fault]: 1 } }))
    await run(exitCode, ['call', 'start', ...numbers, '--yes'])
    expect(prism.violations).toEqual([])
    expect(prism.forwarded()).toBeGreaterThan(0)
  }
})

const record = { teamId: 't', createdAt: '2026-01-12T09:30:00Z', updatedAt: '2026-01-12T09:30:00Z' }
const refusal = { type: 'about:blank', title: 'Not found', status: 404, detail: 'gone', requestId: 'r' }

test.each<[string, number, string, unknown, RegExp]>([
  ['no id', 200, 'application/json', {}, /sid/],
  [
    'a refusal without its detail',
    404,
    'application/problem+json',
    { ...refusal, detail: undefined },
    /detail/,
  ],
])('Prism finds a response with %s', async (_what, status, type, body, words) => {
  const prism = await behindServer(status, type, body)
  await post(prism.baseUrl, '/calls/v1/conversations', {
    userNumber: '+12025550123',
    assistantNumber: '+12025550100',
  })
  expect(prism.violations.join('\n')).toMatch(words)
})

test('Prism finds a record with a field of the wrong type, and a request that does not fit', async () => {
  const tool = { type: 'function', _id: 't1', ...record }
  const right = await behindServer(200, 'application/json', tool)
  await post(right.baseUrl, '/assistants/v1/tools', { type: 'function' })
  expect(right.violations).toEqual([])
  await post(right.baseUrl, '/assistants/v1/tools', { type: 'function', async: 'yes' })
  expect(right.violations.join('\n')).toMatch(/async/)
  const wrong = await behindServer(200, 'application/json', { ...tool, messages: 'none' })
  await post(wrong.baseUrl, '/assistants/v1/tools', { type: 'function' })
  expect(wrong.violations.join('\n')).toMatch(/messages/)
})

/** Prism in front of a server with one response to everything. */
async function behindServer(status: number, type: string, body: unknown) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
  })
  const { origin } = await listenOnLoopback(server)
  const { body: document } = await (await startTestSandbox()).send('GET', '/openapi.json')
  return startPrism(origin, document)
}

async function post(baseUrl: string, path: string, body: unknown): Promise<void> {
  await fetch(baseUrl + path, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Returns the violations of a body by its schema in the document; null if there are none. */
function flawsOf({ webhooks, validator }: ReadDocument, type: string, body: unknown) {
  const validate = validator(webhooks.find(({ id }) => id === type)?.body?.schema ?? { not: {} })
  validate(body)
  return validate.errors
}
