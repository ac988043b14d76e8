import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startInTerminal } from '../helpers/terminal.ts'
import { environmentOf, recordingService, toolFile } from './apply-helpers.ts'

// A tail and an apply represent the commands that print while they work; `npm run attack -- cases` has the others.
const events = 2000

test('a tail whose terminal does not read responds, records and exits, and prints what was skipped', async () => {
  const { tail, port, cwd } = await startTail('--record', 'calls.ndjson')
  expect(await sendEvents(port)).toEqual({ 200: events })
  expect((await readFile(join(cwd, 'calls.ndjson'), 'utf8')).split('\n')).toHaveLength(events + 1)
  tail.readAgain()
  await tail.shows(/… \d+ lines are not shown: the terminal did not read/)
  tail.kill('SIGINT')
  expect(await tail.exitCode).toBe(0)
  expect(tail.screen).toContain(`${events} messages`)
})

test.runIf(everyCase)('Ctrl-C ends a tail whose terminal does not read', async () => {
  const { tail, port } = await startTail()
  expect(await sendEvents(port)).toEqual({ 200: events })
  tail.kill('SIGINT')
  expect(await tail.exitCode).toBe(0)
})

test('apply completes its plan if its terminal does not read, and ends with one Ctrl-C', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `tool-${index}`)
  const service = await recordingService()
  const cwd = await temporaryFolder({
    'callyard.yaml': '{}\n',
    ...Object.fromEntries(names.map(name => [`tools/${name}.yaml`, toolFile(name)])),
  })
  const carriedOut = new Promise<void>(resolve => {
    service.onMoment((moment, ordinal) => {
      if (moment === 'answered' && ordinal === names.length) resolve()
      return undefined
    })
  })
  const apply = startInTerminal(['apply', '--yes'], { cwd, env: await environmentOf(service) })
  apply.stopReading()
  await carriedOut
  // The lock is released last.
  while ((await readdir(join(cwd, '.callyard'))).includes('project.lock')) await nextTurn()
  const lockfile = await readFile(join(cwd, 'callyard.lock.yaml'), 'utf8')
  expect(service.made).toHaveLength(names.length)
  for (const { id } of service.made) expect(lockfile).toContain(id)
  expect(apply.screen).toBe('')
  apply.kill('SIGINT')
  // 0 where the signal comes before the last words are written: the plan is carried out whole.
  expect([0, 130]).toContain(await apply.exitCode)
})

test.runIf(everyCase)('a sandbox responds while its terminal does not read, and Ctrl-C ends it', async () => {
  const cwd = await temporaryFolder()
  const flags = ['--port', '0', '--pace', '0', '--in-memory', '--save-profile', 'sandbox']
  const sandbox = startInTerminal(['sandbox', 'start', ...flags], {
    cwd,
    env: { CALLYARD_CONFIG_DIR: cwd },
  })
  await sandbox.shows(/Ctrl-C stops it/)
  sandbox.stopReading()
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(sandbox.screen)?.[0]
  const apiKey = /"apiKey": "(.*?)"/.exec(await readFile(join(cwd, 'config.json'), 'utf8'))?.[1]
  for (let call = 0; call < 500; call += 1) {
    const answer = await fetch(`${origin}/calls/v1/conversations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        userNumber: '+12025550123',
        assistantNumber: '+12025550100',
        assistant: { name: 'Desk' },
        metadata: { caller: ['Hello', 'Goodbye'] },
      }),
    })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  sandbox.kill('SIGINT')
  expect(await sandbox.exitCode).toBe(0)
})

test.runIf(everyCase)(
  'a chat continues while its terminal does not read, prints later messages, and Ctrl-C hangs up',
  async () => {
    const cwd = await temporaryFolder()
    await cp(new URL('../../src/cli/starter', import.meta.url), cwd, { recursive: true })
    // What is typed takes the time of speech: eighty long questions take most of two hours.
    const file = join(cwd, 'assistants/front-desk.yaml')
    const assistant = await readFile(file, 'utf8')
    await writeFile(file, assistant.replace('maxCallDuration: 10', 'maxCallDuration: 120'))
    const argv = ['call', 'chat', 'assistants/front-desk.yaml', '--out', 'saved.ndjson']
    const chat = startInTerminal(argv, { cwd, env: { CALLYARD_CONFIG_DIR: join(cwd, '.config') } })
    const answers = async () =>
      (await readFile(join(cwd, 'saved.ndjson'), 'utf8')).split('on Saturday until').length - 1
    const ask = async (times: number) => {
      for (let asked = 0; asked < times; asked += 1) {
        const before = await answers()
        chat.type(`When are you open? ${'Really? '.repeat(150)}\r`)
        while ((await answers()) === before) await nextTurn()
      }
    }
    await chat.shows(/Hello there/)
    chat.stopReading()
    await ask(40)
    chat.readAgain()
    chat.type('Where is the workshop?\r')
    await chat.shows(/beside the bridge/)
    chat.stopReading()
    await ask(40)
    // Ctrl-C: in this mode of the terminal it is a key.
    chat.type('\x03')
    expect(await chat.exitCode).toBe(130)
    expect(await readFile(join(cwd, 'saved.ndjson'), 'utf8')).toContain('"finished"')
  },
)

/** A tail that listens, in a terminal that does not read any more. */
async function startTail(...flags: readonly string[]) {
  const cwd = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: cwd }
  const tail = startInTerminal(['webhook', 'tail', '--port', '0', ...flags], { cwd, env })
  await tail.shows(/http:\/\/127\.0\.0\.1:\d+/)
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(tail.screen)?.[1])
  tail.stopReading()
  return { tail, port, cwd }
}

/** Returns the number of responses by status to events of 3 KB, each a separate message. */
async function sendEvents(port: number): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const counts: Record<number, number> = {}
  const send = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const post = request({ port, host: '127.0.0.1', method: 'POST', agent }, response => {
        const status = response.statusCode ?? 0
        counts[status] = (counts[status] ?? 0) + 1
        response.resume().on('end', resolve)
      })
      const messages = [{ messageId: `m-${index}`, role: 'user', text: 'one two '.repeat(375) }]
      post.on('error', reject)
      post.end(
        JSON.stringify({
          message: { type: 'conversation-update', call: { id: `CC-${index % 20}` }, messages },
        }),
      )
    })
  await Promise.all(Array.from({ length: events }, (_, index) => send(index)))
  agent.destroy()
  return counts
}
