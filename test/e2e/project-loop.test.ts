import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { starterFiles } from '../helpers/resources.ts'
import { startBuiltSandbox, startBuiltTail } from '../helpers/run-bin.ts'
import { cliIn } from '../helpers/test-cli.ts'

/** A starter project, and a sandbox and a tail, each in a process of its own. The sandbox keeps its records, as a person's does. */
async function startLoop() {
  const project = await temporaryFolder(starterFiles())
  const cwd = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: join(cwd, 'config'), HOME: cwd }
  const sandbox = await startBuiltSandbox([], { cwd, env })
  const tail = await startBuiltTail([], { cwd, env })
  const inProject = await cliIn(project, { ...env, ...sandbox.env, WEBHOOK_URL: tail.url })
  const run = async (argv: readonly string[], input = '') => {
    const result = await inProject(argv, { input })
    expect(result.exitCode, result.stderr).toBe(0)
    return result
  }
  return { project, run, tail }
}

test('sandbox, apply, edit, chat, tail and call by name use the current files', async () => {
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
  const messages: { callId: string; text: string }[] = (await tail.rest()).filter(
    ({ kind }) => kind === 'message',
  )
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
})
