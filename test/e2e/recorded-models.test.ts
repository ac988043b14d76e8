import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAiMock } from '../helpers/ai-mock.ts'
import { everyCase } from '../helpers/every-case.ts'
import { contentOf, temporaryFolder, writeFiles } from '../helpers/folders.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { realClock } from '../helpers/real-clock.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'
import { testCli } from '../helpers/test-cli.ts'

const cassette = 'tests/hours.cassette.ndjson'
const update = ['test', '-u', '--llm-model', 'small']

test('-u records the model’s stream and tool calls; the test needs no server until the prompt changes', async () => {
  const project = await writeProject()
  const { url, requests } = await startAiMock(mock => {
    mock.onMessage('When are you open?', { content: 'Monday to Friday, nine to six.' }, { chunkSize: 3 })
    mock.on(
      { userMessage: 'On Friday, please', hasToolResult: false },
      { toolCalls: [{ name: 'book_visit', arguments: { day: '2026-01-02' } }] },
    )
    mock.on({ userMessage: 'On Friday, please', hasToolResult: true }, { content: 'Booked for Friday.' })
  })
  const recorded = await project.runBuilt(...update, '--yes', '--llm-url', url)
  expect(recorded).toMatchObject({ exitCode: 0 })
  expect(recorded.stderr).toContain(
    'turn 1  caller: When are you open?\n    + Monday to Friday, nine to six.',
  )
  expect(recorded.stderr).toContain('+ calls book_visit: {"day":"2026-01-02"}')
  expect(requests()).toHaveLength(3)
  expect(requests()).toMatchObject([{ model: 'small', stream: true }, {}, {}])

  const played = await project.runBuilt('test', '--json')
  expect(played).toMatchObject({ exitCode: 0, stderr: '' })
  const again = await project.run(...update, '--yes', '--llm-url', url)
  expect(again).toMatchObject({ exitCode: 0 })
  expect(again.stderr).toContain('Nothing to record')
  expect(requests()).toHaveLength(3)

  await project.write('assistants/desk.yaml', assistant('Be brief.'))
  const changed = await project.run('test')
  expect(changed.exitCode).toBe(8)
  expect(changed.stdout).toContain(
    'tests/hours.test.yaml:4:5: error: the prompt of this turn changed; 2 of 2 turns have no recorded response [not-recorded]',
  )
  expect(changed.stdout).toMatch(/-Be kind\.\n\s+\+Be brief\./)
  expect(changed.stdout).not.toContain('not-said')
})

test('a server that breaks off leaves the test undecided and records nothing', async () => {
  const project = await writeProject()
  const { url } = await startAiMock(mock =>
    mock.onMessage(/./, { content: 'From nine to six.' }, { chunkSize: 4, truncateAfterChunks: 2 }),
  )
  const run = await project.run(...update, '--yes', '--llm-url', url)
  expect(run.exitCode).toBe(8)
  expect(run.stdout).toContain('UNDECIDED hours')
  expect(run.stdout).toContain('the model')
  expect(run.stderr).toContain('Nothing recorded: no model returned a readable response')
  expect(await project.cassette()).toBeUndefined()
})

test('asks the judge at its own server with its own key, and records the verdict', async () => {
  const project = await writeProject('none')
  await project.write('tests/hours.test.yaml', `${conversation('none')}expect: { judge: is polite }\n`)
  const { url, mock } = await startAiMock(mock =>
    mock.onMessage(/./, { content: '{"reason":"it is","verdict":"yes"}' }),
  )
  const env = { CALLYARD_LLM_API_KEY: 'key-of-the-model', CALLYARD_JUDGE_API_KEY: 'key-of-the-judge' }
  const args = ['test', '-u', '--yes', '--judge-url', url, '--judge-model', 'strict']
  const run = await runBin(args, { cwd: project.folder, env })
  expect(run.stderr).toContain('judge')
  expect(mock.getRequests().map(({ body, headers }) => [body, headers])).toMatchObject([
    [{ model: 'strict' }, { authorization: expect.anything() }],
  ])
  const text = await project.cassette()
  expect(text).toContain('"role":"judge"')
  expect(`${text}${run.stdout}${run.stderr}`).not.toMatch(/key-of-the/)
})

test('shows the changes, and writes nothing after a no', async () => {
  const project = await writeProject()
  const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'From nine to six.' }))
  const args = [...update, '--llm-url', url]
  const refused = startInTerminal(args, { cwd: project.folder })
  await refused.shows(/Write tests\/hours\.cassette\.ndjson\?/)
  refused.type('n\r')
  expect(await refused.exitCode).toBe(130)
  expect(await project.cassette()).toBeUndefined()
  const agreed = startInTerminal(args, { cwd: project.folder })
  await agreed.shows(/Write tests\/hours\.cassette\.ndjson\?/)
  agreed.type('y\r')
  await agreed.shows(/Wrote tests\/hours\.cassette\.ndjson/)
  await agreed.exitCode
  expect(await project.cassette()).toContain('From nine to six.')
})

test('Ctrl-C during a model request writes nothing', async () => {
  const project = await writeProject()
  const { url, mock } = await startAiMock(mock => {
    mock.onMessage('When are you open?', { content: 'From nine to six.' })
    mock.onMessage('On Friday, please', { content: 'Late.' }, { latency: 600_000 })
  })
  const run = startBin([...update, '--yes', '--llm-url', url], { cwd: project.folder })
  while (mock.getRequests().length < 2) await new Promise(resolve => setImmediate(resolve))
  run.kill('SIGINT')
  expect(await run).toMatchObject({ exitCode: 130 })
  expect(await readdir(join(project.folder, 'tests'))).toEqual(['hours.test.yaml'])
})

test('two concurrent runs both record without losing responses', async () => {
  const project = await writeProject()
  const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'From nine to six.' }))
  const before = await project.run(...update, '--yes', '--llm-url', url)
  expect(before.stderr).toContain('Wrote')
  await project.write('tests/rows.test.yaml', rows)
  const runs = await Promise.all(
    ['rows[1]', 'rows[2]', 'rows[3]'].map(name =>
      project.runBuilt(...update, '--yes', '--llm-url', url, '-t', name),
    ),
  )
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  expect(await project.run('test', '-t', 'rows')).toMatchObject({ exitCode: 0 })
})

const temporaryCassette = 'tests/.hours.cassette.ndjson.callyard-tmp'

/** Every file that -u writes at some event. */
const killPoints = [cassette, temporaryCassette, '.callyard/tests-hours.cassette.ndjson.lock'].flatMap(file =>
  [1, 2, 3].map(event => ({ file, event })),
)

/** A lock that is held, a new cassette beside the old one, and one in its place. */
const representatives = killPoints.filter(({ event }) => event === 1)

test.each(everyCase ? killPoints : representatives)(
  'a kill at %j leaves the old or the new cassette, and the next -u writes it',
  async point => {
    const project = await writeProject()
    const { url, mock } = await startAiMock(mock => mock.onMessage(/./, { content: 'From nine to six.' }))
    const args = [...update, '--yes', '--llm-url', url]
    await project.run(...args)
    const old = await project.cassette()
    await project.write('assistants/desk.yaml', assistant('Be brief.'))
    mock.clearFixtures().onMessage(/./, { content: 'From ten to six.' })
    const killed = startBin(args, { cwd: project.folder })
    const stop = await killAtEvent(project.folder, point, () => killed.kill('SIGKILL'))
    await killed
    stop()
    const left = await project.cassette()
    await project.run(...args)
    const now = await project.cassette()
    expect([old, now]).toContain(left)
    expect(now).toContain('From ten to six.')
    expect((await readdir(join(project.folder, 'tests'))).sort()).toEqual([
      'hours.cassette.ndjson',
      'hours.test.yaml',
    ])
  },
)

function assistant(manner: string): string {
  return `name: Desk
welcomeMessage: Hello.
assistantSystemPrompt: |
  You are the front desk.
  ${manner}
assistantToolIds: ["\${tool:book-visit}"]
assistantAnalysis: { summary: { enabled: false } }
`
}

const tool = `type: function
async: false
function:
  name: book_visit
  description: Books a visit
  parameters: { type: object, properties: { day: { type: string } } }
server: { url: https://workshop.example.com/ }
`

function conversation(model: string): string {
  return `assistant: desk
model: ${model}
turns:
  - user: When are you open?
    expect: { says: nine to six }
  - user: On Friday, please
    expect: { calls: { book-visit: { day: 2026-01-02 } } }
`
}

const rows = `assistant: desk
model: recorded
each: [{ line: One }, { line: Two }, { line: Three }]
turns:
  - user: "{{line}}"
    expect: { says: nine }
`

/** A project with one test of two turns. */
async function writeProject(model = 'recorded') {
  const folder = await temporaryFolder({
    'callyard.yaml': '',
    'assistants/desk.yaml': assistant('Be kind.'),
    'tools/book-visit.yaml': tool,
    'tests/hours.test.yaml': conversation(model),
  })
  const cli = await testCli()
  return {
    folder,
    write: (name: string, text: string) => writeFiles(folder, { [name]: text }),
    /** The command in this process. */
    run: (...args: readonly string[]) => cli.runWith({ cwd: folder, clock: realClock }, ...args),
    runBuilt: (...args: readonly string[]) => runBin(args, { cwd: folder }),
    cassette: () => contentOf(join(folder, cassette)),
  }
}
