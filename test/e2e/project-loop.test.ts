import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'

const readySchema = z.looseObject({
  baseUrl: z.optional(z.string()),
  apiKey: z.optional(z.string()),
  url: z.optional(z.string()),
})
const eventSchema = z.looseObject({
  kind: z.string(),
  callId: z.optional(z.string()),
  text: z.optional(z.string()),
})

/** `init`, a sandbox and a tail, each in a process of its own. The sandbox keeps its records, as a person's does. */
async function startLoop() {
  const folder = await temporaryFolder()
  const project = join(folder, 'bikes')
  const env: Record<string, string> = { CALLYARD_CONFIG_DIR: join(folder, 'config'), HOME: folder }
  const start = async (...argv: string[]) => {
    const child = startBin([...argv, '--port', '0', '--json'], { cwd: folder, env })
    const stream = lines(child.stdout)
    return { child, stream, ready: readySchema.parse(JSON.parse((await stream.next()).value ?? '')) }
  }
  expect(await runBin(['init', 'bikes'], { cwd: folder, env })).toMatchObject({ exitCode: 0 })
  const { ready } = await start('sandbox', 'start', '--pace', '0')
  const tail = await start('webhook', 'tail')
  Object.assign(env, {
    CALLYARD_BASE_URL: ready.baseUrl,
    CALLYARD_API_KEY: ready.apiKey,
    WEBHOOK_URL: tail.ready.url,
  })
  const run = async (argv: readonly string[], input?: string) => {
    const result = await runBin(argv, { cwd: project, env, ...(input === undefined ? {} : { input }) })
    expect(result.exitCode, result.stderr).toBe(0)
    return result
  }
  return { project, run, tail }
}

test('init, sandbox, apply, edit, chat, tail and call by name use the current files', async () => {
  const { project, run, tail } = await startLoop()
  await run(['validate', '.'])
  await run(['apply', '--yes'])

  // Records and lockfile have the old text; the edited file has the new one.
  const knowledge = join(project, 'knowledge-bases/workshop.yaml')
  const applied = await readFile(knowledge, 'utf8')
  expect(applied).toContain('id: ')
  await writeFile(
    knowledge,
    applied.replace('Monday to Friday from nine to six', 'every day from ten to four'),
  )
  const asked = 'When are you open?\nBook me in for Friday\nGoodbye\n'
  const heard = await run(['call', 'chat', 'front-desk'], asked)
  expect(heard.stdout.replace(/\s+/g, ' ')).toContain('open every day from ten to four')
  expect(heard.stdout).toContain('→ book_appointment {"day":"2026-01-02"}')
  expect(heard.stdout).toContain('(simulated)')
  expect(heard.stderr.replace(/\s+/g, ' ')).toContain(
    'Assistant: assistants/front-desk.yaml · tools: tools/book-appointment.yaml · knowledge: knowledge-bases/workshop.yaml',
  )

  // Two chats are two calls in the tail; the one above sent nothing.
  await run(['call', 'chat', '--webhooks'], 'When are you open?\nGoodbye\n')
  await run(['call', 'chat', '--webhooks'], 'Where is the workshop?\nGoodbye\n')
  // The service has the old text until apply.
  const call = [
    'call',
    'start',
    '--from',
    '+12025550100',
    '--to',
    '+12025550123',
    '--assistant',
    'front-desk',
  ]
  const named = [...call, '--follow', '--metadata', 'caller=["When are you open?", "Goodbye"]']
  expect((await run(named)).stdout).toContain('Monday to Friday')
  await run(['apply', '--yes'])
  const followed = await run(named)
  expect(followed.stdout.replace(/\s+/g, ' ')).toContain('open every day from ten to four')
  expect(followed.stdout).toMatch(/finished/)

  tail.child.kill('SIGTERM')
  const events: z.infer<typeof eventSchema>[] = []
  for await (const line of tail.stream) events.push(eventSchema.parse(JSON.parse(line)))
  const messages = events.filter(({ kind }) => kind === 'message')
  const calls = [...new Set(messages.map(({ callId }) => callId))]
  expect(calls.map(id => messages.flatMap(({ callId, text }) => (callId === id ? [text] : [])))).toEqual([
    [
      expect.stringContaining('Hello there'),
      'When are you open?',
      expect.stringContaining('ten to four'),
      'Goodbye',
      expect.anything(),
    ],
    [
      expect.stringContaining('Hello there'),
      'Where is the workshop?',
      expect.stringContaining('Canal Street'),
      'Goodbye',
      expect.anything(),
    ],
  ])
}, 60_000)
