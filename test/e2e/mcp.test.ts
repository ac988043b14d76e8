import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gone } from '../helpers/alive.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { connectMcp } from '../helpers/mcp-client.ts'
import { starterFiles } from '../helpers/resources.ts'
import { bin } from '../helpers/run-bin.ts'
import { startTestSandbox } from '../helpers/test-sandbox.ts'

async function project() {
  const [cwd, config] = [await temporaryFolder(starterFiles()), await temporaryFolder()]
  return { cwd, config, env: { CALLYARD_CONFIG_DIR: config, WEBHOOK_URL: 'https://hook.example.com' } }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test.each([
  ['the 2025 protocol', undefined],
  ['the protocol of 2026-07-28', '2026-07-28'],
])('the official client uses every tool against a sandbox over %s', async (_, version) => {
  const { cwd, env } = await project()
  const sandbox = await startTestSandbox()
  const service = { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey }
  const { client, call } = await connectMcp([], {
    cwd,
    env: { ...env, ...service },
    ...(version !== undefined && { version }),
  })
  expect(client.getServerVersion()?.name).toBe('callyard')
  const tools = new Set((await client.listTools()).tools.map(({ name }) => name))
  const use = async (name: string, input: Readonly<Record<string, unknown>> = {}) => {
    expect(tools.delete(name) || name === 'execute' || name === 'prepare' || name === 'calls').toBe(true)
    const { text, isError } = await call(name, input)
    expect({ name, text, isError }).toMatchObject({ isError: false })
    return text
  }
  expect(await use('docs', { topic: 'agents' })).toContain('callyard approve')
  expect(await use('validate')).toContain('"errors":0')
  expect(await use('plan')).toContain('"action":"create"')
  expect(await use('test')).toContain('"passed"')
  expect(await use('chat', { say: 'When are you open?' })).toContain('nine to six')
  const codeOf = (text: string) => /^Prepared (\w{4}) at a sandbox/.exec(text)?.[1] ?? ''
  const deployment = codeOf(await use('prepare', { action: 'apply' }))
  expect(await use('execute', { code: deployment })).toContain('exit code 0')
  expect(await use('plan').catch(() => 'used')).toBe('used')
  const placed = { action: 'call', from: '+12025550100', to: '+12025550123', assistant: 'front-desk' }
  const code = codeOf(await use('prepare', placed))
  const outcome = await use('execute', { code })
  expect(await call('execute', { code })).toMatchObject({ text: outcome })
  const [, id = ''] = /"sid":"(.+?)"/.exec(outcome) ?? []
  expect(await use('calls')).toContain(id)
  expect(await use('calls', { id })).toContain('"from"')
  expect([...tools]).toEqual([])
})

test('stdout has nothing but the protocol, whatever comes in', async () => {
  const { cwd, env } = await project()
  const child = spawn(process.execPath, [bin, 'mcp', '--debug'], {
    cwd,
    env: { PATH: process.env.PATH, GITHUB_ACTIONS: 'true', FORCE_COLOR: '1', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const call = (id: number, name: string, input = {}) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: input },
  })
  const requests = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call(2, 'validate'),
    call(3, 'validate', { paths: ['missing'] }),
    call(4, 'test'),
    call(5, 'no-such-tool'),
    call(6, 'chat', { say: '\u001b[31mred\n::error::x' }),
    call(7, 'prepare', { action: 'call', from: '1', to: '2' }),
    { jsonrpc: '2.0', id: 8, method: 'no/such/method' },
  ]
  child.stdin.write('not JSON\n\n{"jsonrpc":"1.0"}\n[]\n')
  child.stdin.write(`${requests.map(request => JSON.stringify(request)).join('\n')}\n`)
  const open = new Set(requests.flatMap(request => ('id' in request ? [request.id] : [])))
  for await (const line of lines(child.stdout)) {
    const message = JSON.parse(line)
    expect(message.jsonrpc).toBe('2.0')
    open.delete(message.id)
    if (open.size === 0) child.stdin.end()
  }
  expect([...open]).toEqual([])
  const [exitCode] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  expect(exitCode).toBe(0)
})

/** A client that starts the server, sends these requests, and prints the server's pid once it has a response to the first. */
const clientCode = `
  const { spawn } = require('node:child_process')
  const [bin, requests] = process.argv.slice(1)
  const server = spawn(process.execPath, [bin, 'mcp', '--allow', 'call'], { stdio: ['pipe', 'pipe', 'ignore'] })
  server.stdout.once('data', () => console.log(server.pid))
  server.stdin.write(requests)
`

test.each([
  ['is pending', (code: string) => ({ name: 'execute', arguments: { code, waitSeconds: 50 } })],
  ['tests', () => ({ name: 'test', arguments: {} })],
])('a client that is killed while a tool %s leaves no process', async (_, toolCall) => {
  const { cwd, env } = await project()
  const service = { CALLYARD_BASE_URL: 'http://127.0.0.1:9', CALLYARD_API_KEY: 'key' }
  const agent = await connectMcp(['--allow', 'call'], { cwd, env: { ...env, ...service } })
  const { text } = await agent.call('prepare', { action: 'call', from: '+12025550100', to: '+12025550123' })
  const [, code = ''] = /^Prepared (\w{4})\./.exec(text) ?? []
  const request = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: toolCall(code) }
  const requests = [initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }, request]
  const client = spawn(
    process.execPath,
    ['-e', clientCode, bin, `${requests.map(each => JSON.stringify(each)).join('\n')}\n`],
    { cwd, env: { PATH: process.env.PATH, ...env, ...service } },
  )
  const { value: pid } = await lines(client.stdout).next()
  client.kill('SIGKILL')
  await gone(Number(pid))
})

test('a server ends with SIGTERM, and keeps no files but private ones', async () => {
  const { cwd, config, env } = await project()
  const { pid, call } = await connectMcp([], { cwd, env })
  await call('docs', { schema: 'assistant' })
  await call('chat')
  for (const folder of ['chats', 'results'])
    for (const name of await readdir(join(config, 'mcp', folder)))
      expect(JSON.parse(await readFile(join(config, 'mcp', folder, name), 'utf8'))).toBeTypeOf('object')
  if (pid === undefined) throw new Error('the server has no pid')
  process.kill(pid, 'SIGTERM')
  await gone(pid)
})
