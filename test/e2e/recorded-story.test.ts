import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { type ChatBody, type ModelAnswer, startModelServer } from '../helpers/model-server.ts'
import { starterFiles } from '../helpers/resources.ts'
import { runBin, startBuiltTail } from '../helpers/run-bin.ts'
import { cliIn } from '../helpers/test-cli.ts'

/** Places the call in the sandbox around it, and waits for its end. */
const placeCall = `
const { CALLYARD_BASE_URL: url, CALLYARD_API_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = {
  direction: 'outbound', phoneNumberId: 'p1', customer: { number: '+12025550143', name: 'Ada Lovelace' },
  assistantOverrides: { dynamicVariables: { name: 'Ada' } },
  metadata: { caller: ['Book me in for Friday, please', 'When are you open?', 'Goodbye'] },
}
const placed = await fetch(url + '/calls/v1/conversations/connect', { method: 'POST', headers, body: JSON.stringify(body) })
const { monitor } = await placed.json()
let call
do call = await (await fetch(monitor.controlUrl, { headers })).json()
while (call.status !== 'completed')
`

/** The starter's booking, held in a sandbox whose webhooks and tool requests a tail records. */
async function recordCall() {
  const cwd = await temporaryFolder(starterFiles())
  const folder = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: folder, CI: '' }
  const { child: tail, url } = await startBuiltTail(['--record', 'calls.ndjson', '--until', 'finished'], {
    cwd,
    env,
  })
  const tool = join(cwd, 'tools/book-appointment.yaml')
  await writeFile(tool, (await readFile(tool, 'utf8')).replace(/https:\/\/workshop\S+/, url))
  await writeFile(join(folder, 'place-call.mjs'), placeCall)
  const exec = [
    'sandbox',
    'exec',
    '--project',
    '.',
    '--pace',
    '0',
    '--',
    process.execPath,
    join(folder, 'place-call.mjs'),
  ]
  const held = await runBin(exec, { cwd, env: { ...env, WEBHOOK_URL: url } })
  expect(held.exitCode, held.stderr).toBe(0)
  expect((await tail).exitCode).toBe(0)
  const names = ['assistants/front-desk.yaml', 'knowledge-bases/workshop.yaml', 'tools/book-appointment.yaml']
  const files = new Map<string, string>()
  for (const name of names) files.set(name, await readFile(join(cwd, name), 'utf8'))
  return { cwd, files, run: await cliIn(cwd, env) }
}

const out = 'tests/story.test.yaml'

/** Changes of files, with the line of the test that fails then. */
const changes: readonly {
  readonly name: string
  readonly change: (text: string) => string
  readonly fails: RegExp
}[] = [
  {
    name: 'knowledge-bases/workshop.yaml',
    change: text => text.replace('nine to six', 'ten to five'),
    fails: /^not-said: says: open Monday to Friday from nine to six$/,
  },
  {
    name: 'tools/book-appointment.yaml',
    change: text => text.replace('day: {', 'date: {').replace('[day]', '[date]'),
    fails: /^wrong-arguments: (book-appointment:|day: \d{4}-\d\d-\d\d)$/,
  },
  {
    name: 'assistants/front-desk.yaml',
    change: text => text.replace('this is the AI front desk of Spoke and Chain', 'good morning'),
    fails: /^not-said: says: AI front desk of Spoke and Chain$/,
  },
  {
    name: 'assistants/front-desk.yaml',
    change: text => text.replace('[goodbye, that is all]', '[that is all]'),
    fails: /^wrong-end: ends: assistant$/,
  },
]

test('a recorded booking becomes a passing test that fails at its line if the FAQ, tool, prompt, welcome or end phrase changes', async () => {
  const place = await recordCall()
  const record = ['test', 'record', 'calls.ndjson', '--expect', 'all', '--out']
  const made = await place.run([...record, out])
  expect(made.exitCode, made.stderr).toBe(0)
  const written = await readFile(join(place.cwd, out), 'utf8')
  expect(written).toContain('assistant: front-desk')
  expect(written).toContain('book-appointment:\n          day: ')
  expect(await place.run(['test', out])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 test: 1 passed'),
  })

  for (const { fails, ...changed } of changes)
    expect(await failuresAfter(changed, place)).toContainEqual(expect.stringMatching(fails))

  const server = await startModelServer(modelOf(/day: (\S+)/.exec(written)?.[1] ?? ''))
  await writeFile(join(place.cwd, out), written.replace(/^turns:/m, 'model: recorded\nturns:'))
  const update = ['test', out, '-u', '--yes', '--llm-url', server.url, '--llm-model', 'small']
  const updated = await place.run(update)
  expect(updated.exitCode, updated.stdout + updated.stderr).toBe(0)
  expect(await place.run(['test', out])).toMatchObject({ exitCode: 0 })
  const prompt = {
    name: 'assistants/front-desk.yaml',
    change: (text: string) => text.replace('one or two short sentences', 'a poem'),
  }
  expect(await failuresAfter(prompt, place)).toContainEqual(
    'not-recorded: - user: Book me in for Friday, please',
  )

  expect(await place.run([...record, 'tests/redacted.test.yaml', '--redact'])).toMatchObject({
    exitCode: 0,
  })
  const redacted = await readFile(join(place.cwd, 'tests/redacted.test.yaml'), 'utf8')
  expect(redacted).not.toMatch(/ada|lovelace|0143|CC-/i)
  expect(await place.run(['test', 'tests/redacted.test.yaml'])).toMatchObject({ exitCode: 0 })
})

/** The codes of what fails after a change, each with its line of the test. */
async function failuresAfter(
  { name, change }: { readonly name: string; readonly change: (text: string) => string },
  place: Awaited<ReturnType<typeof recordCall>>,
): Promise<string[]> {
  const original = place.files.get(name) ?? ''
  expect(change(original)).not.toBe(original)
  await writeFile(join(place.cwd, name), change(original))
  const { exitCode, stdout, stderr } = await place.run(['test', out, '--json'])
  await writeFile(join(place.cwd, name), original)
  expect(exitCode, stderr).toBe(8)
  const [story] = JSON.parse(stdout).tests
  const text = await readFile(join(place.cwd, out), 'utf8')
  return story.attempts[0].failures.map(
    ({ code, position }: { code: string; position: { line: number } }) =>
      `${code}: ${text.split('\n')[position.line - 1]?.trim()}`,
  )
}

/** Says what the sandbox said without a model, and books this day. */
function modelOf(day: string): (body: ChatBody) => ModelAnswer {
  return ({ messages, tools }) => {
    const last = messages.at(-1)
    if (tools === undefined) return { say: '10' }
    if (last?.role === 'tool') return { say: 'accepted' }
    if (last?.content?.includes('Book') === true) return { call: 'book_appointment', with: { day } }
    return { say: 'We are open Monday to Friday from nine to six.' }
  }
}
