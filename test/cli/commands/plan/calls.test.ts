import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callEvents, type Said, type SampleCall } from '../../../helpers/events.ts'
import { type ModelAnswer, startModelServer } from '../../../helpers/model-server.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { recordingFile } from '../../../helpers/recordings.ts'
import { starterFiles } from '../../../helpers/resources.ts'
import { shellPipe } from '../../../helpers/shell-pipe.ts'
import { appliedProject, type TestProject, unwrapped } from '../project/test-project.ts'

const hours = 'We are open Monday to Friday from nine to six, and on Saturday until one.'
const desk = 'assistants/front-desk.yaml'
const workshop = 'knowledge-bases/workshop.yaml'

const welcome: Said = [
  'assistant',
  'Hello Ada, this is the AI front desk of Spoke and Chain. How can I help?',
]
const asksForHours: Said[] = [welcome, ['user', 'When are you open?'], ['assistant', hours]]
const books: Said[] = [
  welcome,
  ['user', 'I would like to book an appointment on 2026-01-02'],
  ['assistant', 'Done.'],
]
const goodbye: Said[] = [
  ['user', 'Goodbye'],
  ['assistant', 'Thank you for calling. Goodbye!'],
]

function call(id: string, said: readonly Said[], more: Partial<SampleCall> = {}) {
  const assistant = { name: 'Front desk' }
  return callEvents({ id, said, assistant, end: { callEndTriggerBy: 'assistant' }, ...more })
}

const calls = [
  ...call('CC-a', [...asksForHours, ...goodbye]),
  ...call('CC-b', [...asksForHours, ...goodbye]),
  ...call('CC-c', [...books, ...goodbye]),
]

/** The starter project as applied, with a recording of these events. */
async function deployed(
  events: readonly unknown[] = calls,
  files: Readonly<Record<string, string>> = {},
): Promise<TestProject> {
  const project = await appliedProject({
    ...starterFiles(),
    'callyard.yaml': 'assistants: replace\n',
    'week.ndjson': recordingFile(...events),
    ...files,
  })
  return project
}

async function edit(project: TestProject, file: string, ...[from, to]: readonly [string, string]) {
  const text = await project.read(file)
  expect(text).toContain(from)
  await project.write(file, text.replace(from, to))
}

const planCalls = (project: TestProject, ...more: string[]) =>
  project.run('plan', '--calls', 'week.ndjson', ...more)

async function conversations(project: TestProject, ...more: string[]) {
  const { stdout } = await planCalls(project, '--json', ...more)
  return JSON.parse(stdout).conversations
}

test('with unchanged files, no call goes differently', async () => {
  const project = await deployed()
  const { exitCode, stdout } = await planCalls(project, '--fail-on', 'tool-calls,ending,replies,analysis')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Up to date')
  expect(stdout).toContain('None of 3 replayed calls would go differently.')
  expect(project.requests).toEqual([])
})

test('the reports of --out and the annotations of GitHub have the differences; those of --fail-on fail', async () => {
  const project = await deployed()
  await edit(project, workshop, 'nine to six', 'ten to seven')
  const files = ['--out', 'plan.xml', '--out', 'plan.sarif']
  project.env.GITHUB_ACTIONS = 'true'
  const { exitCode, stderr } = await planCalls(project, ...files)
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(
    /^::warning file=knowledge-bases\/workshop\.yaml,line=\d+,col=13.*2 give a different answer to “When are you open\?”/m,
  )
  const name = '2 give a different answer to “When are you open?”'
  expect(await project.read('plan.xml')).toContain(`classname="calls" name="${name}"`)
  expect(await project.read('plan.xml')).toContain('failures="0"')
  const { runs } = JSON.parse(await project.read('plan.sarif'))
  expect(runs[0].results).toMatchObject([{ ruleId: 'answer-changed', level: 'warning' }])
  const location = runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri
  expect(location).toContain('knowledge-bases/workshop.yaml')
  expect((await planCalls(project, '--fail-on', 'replies', ...files)).exitCode).toBe(8)
  expect(await project.read('plan.xml')).toContain('failures="1"')
  expect(JSON.parse(await project.read('plan.sarif')).runs[0].results[0].level).toBe('error')
})

test('groups what calls would do differently, each with an example, the responsible line and a command for a test', async () => {
  const project = await deployed()
  await edit(project, workshop, 'nine to six', 'ten to seven')
  await edit(project, 'tools/book-appointment.yaml', 'name: book_appointment', 'name: reserve_slot')
  await edit(
    project,
    'tools/book-appointment.yaml',
    'Books an appointment in the workshop',
    'Reserves something',
  )
  const { stdout, exitCode } = await planCalls(project)
  expect(exitCode).toBe(0)
  const printed = unwrapped(stdout)
  expect(printed).toContain(
    '3 of 3 replayed calls would go differently: 2 give a different answer to “When are you open?”, 1 no longer calls book-appointment ',
  )
  const line = (await project.read(workshop)).split('\n').findIndex(each => each.includes('ten to seven'))
  expect(printed).toContain(
    `2 give a different answer to “When are you open?” ${workshop}:${line + 1}:13 “When are you open?” CC-a, turn 1: When are you open? recorded ${hours} - ${hours} + ${hours.replace('nine to six', 'ten to seven')} also CC-b test: callyard test record week.ndjson --call CC-a`,
  )
  expect(printed).toContain('tools/book-appointment.yaml:6:3 function.name')
  expect(printed).toContain('- calls book_appointment {"day":"2026-01-02"}')
  const again = await project.run('test', 'record', 'week.ndjson', '--call', 'CC-a')
  expect(again).toMatchObject({ exitCode: 0 })
})

test('finds the one of many changes that a difference comes from', async () => {
  const project = await deployed()
  await edit(project, desk, 'Hello {{name}}', 'Good day {{name}}')
  await edit(project, desk, 'idleTimeout: 20', 'idleTimeout: 25')
  await edit(project, desk, 'goodbye, that is all', 'that is all')
  await edit(project, workshop, 'At 12 Canal Street', 'At 14 Canal Street')
  const { groups, changes } = await conversations(project)
  expect(changes).toEqual({ 'tool-calls': 0, ending: 3, replies: 3, analysis: 3 })
  expect(
    groups.map(({ code, cause }: { code: string; cause: { path: string[] } }) => [
      code,
      cause.path.join('.'),
    ]),
  ).toEqual([
    ['ended-by', 'endCallPhrases'],
    ['welcome', 'welcomeMessage'],
  ])
})

describe('--fail-on', () => {
  test('exits with 8 if calls differ in one of the categories, after the plan', async () => {
    const project = await deployed()
    await edit(project, workshop, 'nine to six', 'ten to seven')
    const failed = await planCalls(project, '--fail-on', 'ending,replies')
    expect(failed).toMatchObject({ exitCode: 8 })
    expect(failed.stderr).toContain('error: 2 calls differ in replies')
    expect(failed.stdout).toContain('Plan: 1 to update')
    expect(await planCalls(project, '--fail-on', 'tool-calls,ending')).toMatchObject({ exitCode: 0 })
    const result = await planCalls(project, '--fail-on', 'replies', '--json')
    expect(result.exitCode).toBe(8)
    expect(JSON.parse(result.stdout).conversations).toMatchObject({ changed: 2 })
  })

  test('requires a replayed call, and --calls', async () => {
    const project = await deployed(call('CC-x', [welcome]))
    expect(await planCalls(project, '--fail-on', 'ending')).toMatchObject({ exitCode: 8 })
    expect(await project.run('plan', '--fail-on', 'ending')).toMatchObject({ exitCode: 2 })
    const wrong = await planCalls(project, '--fail-on', 'ending,words')
    expect(wrong).toMatchObject({ exitCode: 2 })
    expect(wrong.stderr).toContain('tool-calls, ending, replies, analysis')
  })
})

test('says that a recording has no calls', async () => {
  const project = await deployed()
  await project.write('empty.ndjson', '')
  const { stdout } = await project.run('plan', '--calls', 'empty.ndjson')
  expect(stdout).toContain('The recordings contain no calls.')
})

test('counts calls that are not replayed, with the reason', async () => {
  const project = await deployed([
    ...calls,
    ...call('CC-silent', [welcome]),
    ...call('CC-other', asksForHours, { assistant: { name: 'Other desk' } }),
    ...call('CC-unnamed', asksForHours, { assistant: {} }),
    ...call('CC-bad', asksForHours, { call: { assistantOverrides: { welcomeMessage: 7 } } }),
    ...call('CC-new', asksForHours, { assistant: { name: 'New desk' } }),
  ])
  await project.write('assistants/new-desk.yaml', 'name: New desk\n')
  const { stdout, stderr, exitCode } = await planCalls(project)
  expect(exitCode).toBe(8)
  expect(stderr).toContain('error: the replay of 1 call failed')
  const printed = unwrapped(stdout)
  expect(printed).toContain('5 of 8 calls not replayed:')
  for (const reason of [
    '1 because the caller says nothing in the recording (CC-silent)',
    '1 because the assistant is not in this project: "Other desk" (CC-other)',
    '1 because the recording does not name the assistant (CC-unnamed)',
    '1 because the replay on the deployed files failed: ',
    '1 because the assistant new-desk is not deployed yet (CC-new)',
  ])
    expect(printed).toContain(reason)
  expect(await conversations(project)).toMatchObject({ calls: 8, compared: 3, changed: 0 })
})

test('uses the overrides and variables of a call', async () => {
  const project = await deployed([
    ...call('CC-own', asksForHours, {
      call: { assistantOverrides: { welcomeMessage: 'Welcome!', dynamicVariables: { name: 'Ada' } } },
    }),
    ...call('CC-ada', asksForHours),
  ])
  await edit(project, desk, 'Hello {{name}}', 'Good day {{name}}')
  const { groups } = await conversations(project)
  expect(groups).toMatchObject([
    {
      code: 'welcome',
      calls: [{ id: 'CC-ada' }],
      example: { planned: { said: [expect.stringContaining('Good day Ada')] } },
    },
  ])
})

test('replays the recorded results of tools', async () => {
  const day = '2026-01-02'
  const booked: Said[] = [
    welcome,
    ['user', `I would like to book an appointment on ${day}`],
    { tool: { id: 't', name: 'book_appointment', arguments: { day }, result: { message: 'You are in.' } } },
    ['assistant', 'One moment, I am looking at the calendar. You are in.'],
  ]
  const project = await deployed(call('CC-booked', [...booked, ...goodbye]))
  expect(await conversations(project)).toMatchObject({
    compared: 1,
    drift: { 'tool-calls': 0, replies: 0, ending: 0 },
  })
})

test('finds the assistant of a call by an id that was replaced since', async () => {
  const project = await deployed()
  const before = await project.recorded('assistant/front-desk')
  await edit(project, desk, 'Hello {{name}}', 'Good day {{name}}')
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  const after = await project.recorded('assistant/front-desk')
  expect(after?.replaced).toEqual([before?.id])
  const old = { assistantId: before?.id }
  await project.write(
    'week.ndjson',
    recordingFile(...call('CC-old', asksForHours, { call: old, assistant: {} })),
  )
  expect(await conversations(project)).toMatchObject({ compared: 1, changed: 0, drift: { replies: 1 } })
})

test('tells drift of the replay from differences of the files', async () => {
  const drifting: Said[] = [
    welcome,
    ['user', 'When are you open?'],
    ['assistant', 'From nine to six, my dear.'],
  ]
  const project = await deployed([...calls, ...call('CC-drift', [...drifting, ...goodbye])])
  await edit(project, workshop, 'nine to six', 'ten to seven')
  const { drift, groups } = await conversations(project)
  expect(drift).toMatchObject({ replies: 2, ending: 0 })
  expect(groups[0]).toMatchObject({
    calls: [
      { id: 'CC-a', isDrift: false },
      { id: 'CC-b', isDrift: false },
      { id: 'CC-drift', isDrift: true },
    ],
    example: { id: 'CC-a' },
  })
  expect(unwrapped((await planCalls(project)).stdout)).toContain(
    '1 of 3 replays on the deployed files already differs from the recording here',
  )
})

test('reads several recordings as one, also from a pipe and stdin', async () => {
  const project = await deployed()
  const [first = '', second = ''] = [calls.slice(0, 4), calls.slice(4)].map(events =>
    recordingFile(...events),
  )
  await project.write('first.ndjson', first)
  await edit(project, workshop, 'nine to six', 'ten to seven')
  const run = (extra: object, ...files: string[]) =>
    project.runWith(extra, 'plan', '--json', ...files.flatMap(file => ['--calls', file]))
  for (const { stdout } of [
    await run({ input: second }, 'first.ndjson', '-'),
    await run({}, 'first.ndjson', await shellPipe(second)),
  ])
    expect(JSON.parse(stdout).conversations).toMatchObject({
      calls: 3,
      changed: 2,
      groups: [
        {
          calls: [{ id: 'CC-a' }, { id: 'CC-b' }],
          record: expect.stringContaining('first.ndjson --call CC-a'),
        },
      ],
    })
})

test('escapes what calls and files say', async () => {
  const hostile = 'When are you \u001b[31mopen\u202e?'
  const project = await deployed(
    call('CC-\u001b[2J', [welcome, ['user', hostile], ['assistant', '\u001b]0;x\u0007']]),
  )
  await edit(project, workshop, 'nine to six', 'ten to \\x1b[2Jseven')
  const { stdout } = await planCalls(project)
  expect(stdout).toContain('would go differently')
  expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/)
})

test('says what the deployed version cannot be read from, and which changes rules do not see', async () => {
  const project = await deployed()
  await edit(project, desk, 'Never promise a price', 'Never promise anything')
  project.env.WEBHOOK_URL = 'http://127.0.0.1:4022/'
  const { stderr } = await planCalls(project)
  expect(unwrapped(stderr)).toContain(
    'assistant/front-desk: assistantSystemPrompt changed, which replies by rule do not use',
  )
})

test('with a model, asks only what is not recorded, and records it next to the recording', async () => {
  const text = starterFiles()[desk]?.replace(/assistantAnalysis:\n( .*\n)+/, '') ?? ''
  const project = await deployed(call('CC-a', [...asksForHours, ...goodbye]), { [desk]: text })
  const server = await startModelServer((body): ModelAnswer => {
    const prompt = body.messages[0]?.content ?? ''
    return { say: prompt.includes('anything') ? 'I cannot say.' : 'From nine to six.' }
  })
  const asks = async () => {
    const before = server.requests.length
    const flags = ['--calls', 'week.ndjson', '--json', '--llm-url', server.url]
    const result = await project.runWith({ clock: realClock }, 'plan', ...flags)
    expect(result).toMatchObject({ exitCode: 0 })
    return { requests: server.requests.length - before, ...JSON.parse(result.stdout).conversations }
  }
  const first = await asks()
  expect(first).toMatchObject({ compared: 1, changed: 0, model: 'recorded' })
  expect(first.requests).toBeGreaterThan(0)
  expect(await asks()).toMatchObject({ requests: 0, changed: 0 })
  const { mode } = await stat(join(project.folder, 'week.cassette.ndjson'))
  expect(mode & 0o777).toBe(0o600)
  await edit(project, desk, 'Never promise a price', 'Never promise anything')
  const changed = await asks()
  expect(changed.requests).toBe(first.requests)
  expect(changed.groups[0]).toMatchObject({ cause: { path: ['assistantSystemPrompt'] } })
  expect(await asks()).toMatchObject({ requests: 0, changed: 1 })
})
