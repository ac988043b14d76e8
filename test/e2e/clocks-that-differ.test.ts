import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createDeferred } from '../../src/lib/queue.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'

const ready = z.object({ baseUrl: z.string(), apiKey: z.string() })

/** Settings for a process whose clock is ahead of that of others. */
async function clockAhead(folder: string, milliseconds: number) {
  const module = join(folder, 'clock.cjs')
  await writeFile(module, `const { now } = Date; Date.now = () => now() + ${milliseconds}`)
  return { NODE_OPTIONS: `--require ${module}` }
}

/** Adds a tool to a sandbox. */
async function addTool({ baseUrl, apiKey }: z.infer<typeof ready>): Promise<number> {
  const { status } = await fetch(`${baseUrl}/assistants/v1/tools`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"type":"function"}',
  })
  return status
}

test.each([30_000, 3_600_000])(
  'a process whose clock is %i ms ahead does not steal the lock of a sandbox or a recording',
  async ahead => {
    const cwd = await temporaryFolder()
    const env = { CALLYARD_CONFIG_DIR: join(cwd, 'config') }
    const skewed = { cwd, env: { ...env, ...(await clockAhead(cwd, ahead)) } }
    const sandbox = ['sandbox', 'start', '--data', 'records.ndjson', '--port', '0', '--json']
    const first = startBin(sandbox, { cwd, env })
    const service = ready.parse(JSON.parse((await lines(first.stdout).next()).value ?? ''))
    expect(await addTool(service)).toBe(200)
    expect(await runBin(sandbox, skewed)).toMatchObject({ exitCode: 9 })
    expect(await addTool(service)).toBe(200)
    first.kill('SIGTERM')
    await first
    const records = await readFile(join(cwd, 'records.ndjson'), 'utf8')
    expect(records.match(/"kind":"tool"/g)).toHaveLength(2)

    const tail = ['webhook', 'tail', '--record', 'calls.ndjson', '--port', '0', '--json']
    const tailing = startBin(tail, { cwd, env })
    await lines(tailing.stdout).next()
    expect(await runBin(tail, skewed)).toMatchObject({ exitCode: 9 })
  },
)

test('a process whose clock is an hour ahead does not apply while another one does', async () => {
  const cwd = await temporaryFolder()
  const arrived = createDeferred<void>()
  const mayRespond = createDeferred<void>()
  let created = 0
  const { origin } = await listenOnLoopback(
    createServer(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(404).end()
      created += 1
      arrived.resolve()
      await mayRespond.promise
      response.end('{"id":"tool-1","type":"function"}')
    }),
  )
  const env = {
    CALLYARD_CONFIG_DIR: join(cwd, 'config'),
    CALLYARD_BASE_URL: origin,
    CALLYARD_API_KEY: 'k',
  }
  await writeFile(join(cwd, 'callyard.yaml'), '{}\n')
  await mkdir(join(cwd, 'tools'))
  await writeFile(join(cwd, 'tools', 'book.yaml'), 'type: function\n')
  const first = startBin(['apply', '--yes'], { cwd, env })
  await arrived.promise
  const skewed = { ...env, ...(await clockAhead(cwd, 3_600_000)) }
  expect(await runBin(['apply', '--yes'], { cwd, env: skewed })).toMatchObject({ exitCode: 9 })
  mayRespond.resolve()
  expect(await first).toMatchObject({ exitCode: 0 })
  expect(created).toBe(1)
})
