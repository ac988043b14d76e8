import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { jsonLines, lines } from '../helpers/json-lines.ts'
import { starterFiles } from '../helpers/resources.ts'
import { bin, runBin } from '../helpers/run-bin.ts'

const chat = ['call', 'chat', 'assistants/front-desk.yaml', '--var', 'name=Ada']

/** The starter project, and a configuration folder of its own. */
async function starterProject() {
  const folder = await temporaryFolder(starterFiles())
  return { cwd: folder, env: { CALLYARD_CONFIG_DIR: join(folder, '.config') } }
}

/** A chat whose stdin stays open, as that of a program that drives it. */
function drive(project: Awaited<ReturnType<typeof starterProject>>, ...argv: string[]) {
  const child = execa(process.execPath, [bin, ...chat, ...argv], { ...project, reject: false, buffer: false })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child
  })
  return { child, stream: lines(child.stdout) }
}

async function until(stream: AsyncGenerator<string, undefined>, words: string): Promise<void> {
  for (let line = await stream.next(); line.done !== true; line = await stream.next()) {
    if (line.value.includes(words)) return
  }
  throw new Error(`the output ended without ${words}`)
}

test('the starter project replies from its knowledge base without setup', async () => {
  const project = await starterProject()
  const input = 'When are you open?\nThank you, goodbye\n'
  const { exitCode, stdout } = await runBin(chat, { ...project, input })
  expect(exitCode).toBe(0)
  for (const words of [
    'assistant  Hello Ada, this is the front desk',
    'user       When are you open?',
    'on Saturday until',
    'Thank you for calling. Goodbye!',
    'finished · ended by assistant',
    'summary',
  ]) {
    expect(stdout).toContain(words)
  }
})

test('returns the same transcript for the same lines', async () => {
  const project = await starterProject()
  const run = () => runBin(chat, { ...project, input: 'When are you open?\n' })
  const [one, other] = [await run(), await run()]
  expect(one.stdout).toBe(other.stdout)
})

test('a program can chat line by line, and the call ends while stdin is still open', async () => {
  const { child, stream } = drive(await starterProject())
  await until(stream, 'front desk')
  child.stdin?.write('When are you open?\n')
  await until(stream, 'on Saturday until')
  child.stdin?.write('goodbye\n')
  await until(stream, 'ended by assistant')
  expect((await child).exitCode).toBe(0)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s hangs up, prints the end of the call and exits with 130',
  async signal => {
    const { child, stream } = drive(await starterProject())
    await until(stream, 'front desk')
    child.kill(signal)
    await until(stream, 'finished · ended by user')
    expect((await child).exitCode).toBe(130)
  },
)

test('a kill -9 keeps the transcript up to that point', async () => {
  const project = await starterProject()
  const { child, stream } = drive(project, '--save', 'saved.json')
  child.stdin?.write('When are you open?\n')
  await until(stream, 'on Saturday until')
  // The previous reply is in the file before the next question.
  child.stdin?.write('Where is the workshop?\n')
  await until(stream, 'beside the bridge')
  child.kill('SIGKILL')
  await child
  const file = join(project.cwd, 'saved.json')
  const events: { text?: string }[] = JSON.parse(await readFile(file, 'utf8'))
  expect(events.flatMap(({ text }) => text ?? [])).toContain('When are you open?')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a closed stdout pipe ends the call quietly', async () => {
  const project = await starterProject()
  const { exitCode, stdout } = await execa(
    'bash',
    ['-c', '"$0" "$@" 2>/dev/null | head -1; exit ${PIPESTATUS[0]}', process.execPath, bin, ...chat],
    { ...project, reject: false, input: 'When are you open?\n'.repeat(200) },
  )
  expect(stdout).toContain('queued')
  expect(exitCode).toBe(0)
})

test('speaks the replies of a model server over HTTP', async () => {
  const server = createServer(async (request, response) => {
    request.resume()
    await once(request, 'end')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const content of ['It is ', 'always ', 'open.']) response.write(chunk({ content }, null))
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const project = await starterProject()
  const { stdout, exitCode } = await runBin([...chat, '--llm-url', url, '--json'], {
    ...project,
    input: 'When are you open?\n',
  })
  expect(exitCode).toBe(0)
  const events = jsonLines(stdout)
  expect(events.filter(({ kind }) => kind === 'message').map(({ role, text }) => [role, text])).toEqual([
    ['assistant', expect.stringContaining('Hello Ada')],
    ['user', 'When are you open?'],
    ['assistant', 'It is always open.'],
  ])
  expect(events.map(({ kind }) => kind)).not.toContain('draft')
})

function chunk(delta: object, finished: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finished }]
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}
