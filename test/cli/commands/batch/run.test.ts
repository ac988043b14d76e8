import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox } from '../../../helpers/test-sandbox.ts'
import { acceptCalls, batchCommands } from './batch-commands.ts'

const path = '/calls/v1/conversations'
const contacts = 'id,name,phone\n1,Ada,+12025550110\n2,=Bo,+12025550111\n3,Cy,+12025550112\n'
const batchFile = 'list: contacts.csv\nfrom: "+12025550100"\n'
const scripted = ['--yes', '--max-calls', '100']

async function project(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const own = { 'callyard.yaml': '', 'batches/calls.yaml': batchFile, 'batches/contacts.csv': contacts }
  return batchCommands(await testCli({ ...own, ...files }, { env }))
}

test('calls each person of a list once, on a sandbox without confirmation', async () => {
  const sandbox = await startTestSandbox()
  const desk = 'name: Desk\nwelcomeMessage: Hello {{name}}.\n'
  const files = { 'desk.yaml': desk, 'batches/calls.yaml': `${batchFile}assistant: ../desk.yaml\n` }
  const { cli, json } = await project(files, sandbox.env)
  const { exitCode, data } = await json('run', 'calls')
  expect(exitCode).toBe(0)
  expect(data).toMatchObject([
    { kind: 'called', person: '1', to: '+12025550110', call: expect.stringMatching(/^CC-/) },
    { kind: 'called', person: '2', to: '+12025550111' },
    { kind: 'called', person: '3', to: '+12025550112' },
    { kind: 'summary', end: 'done', counts: { placed: 3, due: 0, rejected: 0, unknown: 0 }, invalid: 0 },
  ])
  await sandbox.idle()
  const said = sandbox.first.calls.list().map(({ messages }) => messages?.[0]?.text)
  expect(said.sort()).toEqual(['Hello =Bo.', 'Hello Ada.', 'Hello Cy.'])
  expect((await json('run', 'calls')).data).toMatchObject([{ kind: 'summary', counts: { placed: 3 } }])
  expect(sandbox.first.calls.list()).toHaveLength(3)
  const { stdout: log } = await cli.run('call', 'list', '--json')
  expect(JSON.parse(log)).toMatchObject({
    total: 3,
    calls: [{ to: '+12025550112', variables: ['name'] }, {}, {}],
  })
})

test('another service is called by a script only with --yes and --max-calls', async () => {
  const { cli, batch } = await project()
  for (const flags of [[], ['--yes']]) {
    const { exitCode, stderr } = await batch('run', 'calls', ...flags)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--max-calls')
    expect(stderr).toContain('3 people would be called')
  }
  expect(cli.requests).toEqual([])
  acceptCalls(cli, 'CC-1', 'CC-2')
  const limited = await batch('run', 'calls', '--yes', '--max-calls', '2')
  expect(limited).toMatchObject({ exitCode: 8 })
  expect(limited.stderr).toContain('1 person left (limit of calls)')
})

test('a person confirms the number of people, the service and the assistant', async () => {
  const { cli, batch } = await project()
  cli.type('n')
  const declined = await batch('run', 'calls')
  expect(declined).toMatchObject({ exitCode: 130 })
  expect(declined.stderr).toMatch(/People +3\n/)
  expect(declined.stderr).toContain(cli.baseUrl)
  expect(cli.requests).toEqual([])
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  cli.type('y')
  expect(await batch('run', 'calls')).toMatchObject({ exitCode: 0 })
})

test('a rejected row fails, and the others are called', async () => {
  const { cli, batch, json } = await project()
  acceptCalls(cli, 'CC-1')
  cli.answer('POST', path, { status: 422, json: { message: 'this number is blocked' } })
  acceptCalls(cli, 'CC-3')
  const { exitCode, stderr, data } = await json('run', 'calls', ...scripted)
  expect(exitCode).toBe(8)
  expect(data).toMatchObject([
    { kind: 'called', person: '1' },
    {
      kind: 'failed',
      person: '2',
      outcome: 'rejected',
      reason: expect.stringContaining('this number is blocked'),
    },
    { kind: 'called', person: '3' },
    { kind: 'summary', counts: { placed: 2, rejected: 1 } },
  ])
  expect(stderr).toContain('1 rejected by the service')
  expect((await batch('run', 'calls', ...scripted)).exitCode).toBe(8)
  acceptCalls(cli, 'CC-2')
  const retried = await json('retry', 'calls', '--outcome', 'rejected')
  expect(retried).toMatchObject({ exitCode: 0, data: { counts: { placed: 2, due: 1, rejected: 0 } } })
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(cli.requests).toHaveLength(4)
})

test.each(['no', '', 'maybe'])(
  'a person whose row later has %j as consent is not called again, and stays in the results',
  async consent => {
    const list = (cell: string) => `id,phone,consent\n1,+12025550110,${cell}\n`
    const { cli, batch, json } = await project({ 'batches/contacts.csv': list('yes') })
    cli.answer('POST', path, { status: 422, json: { message: 'try later' } })
    await batch('run', 'calls', ...scripted)
    await batch('retry', 'calls', '--outcome', 'rejected')
    await writeFile(join(cli.folder, 'batches/contacts.csv'), list(consent))
    for (const flags of [[], ['--despite-opt-out']]) {
      const { data } = await json('run', 'calls', ...scripted, ...flags)
      expect(data.at(-1)).toMatchObject({ kind: 'summary', counts: { skipped: 1, due: 0 } })
    }
    expect(cli.requests).toHaveLength(1)
    const { stdout } = await batch('export', 'calls')
    expect(stdout).toContain('1,+12025550110,skipped,1,')
  },
)

test('a column that is not decided later keeps a batch from calling, and not from reporting', async () => {
  const { cli, batch } = await project({ 'batches/contacts.csv': 'id,phone,Code\n1,+12025550110,0\n' })
  acceptCalls(cli, 'CC-1')
  await batch('run', 'calls', ...scripted)
  const list = 'id,phone,Consent (1 = no)\n1,+12025550110,0\n2,+12025550111,1\n'
  await writeFile(join(cli.folder, 'batches/contacts.csv'), list)
  for (const [verb = '', ...people] of [['status'], ['export'], ['remove', '2']])
    expect(await batch(verb, 'calls', ...people)).toMatchObject({ exitCode: 0 })
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 3 })
  expect(cli.requests).toHaveLength(1)
})

test('says how many rows do not allow a call, and where they are listed', async () => {
  const rows =
    '1,+12025550110,no,\n2,+12025550111,,\n3,+12025550112,yes,Please do not call\n4,+12025550113,yes,\n'
  const { cli, batch } = await project({ 'batches/contacts.csv': `id,phone,consent,Notes\n${rows}` })
  acceptCalls(cli, 'CC-1')
  const { exitCode, stderr } = await batch('run', 'calls', ...scripted)
  expect({ exitCode, requests: cli.requests.length }).toEqual({ exitCode: 0, requests: 1 })
  expect(stderr).toContain('3 of 4 rows do not allow a call')
  expect(stderr).toContain('callyard batch plan calls')
})

test('a person who may have been called is called again only with --retry-unknown', async () => {
  const { cli, batch } = await project()
  acceptCalls(cli, 'CC-1')
  cli.answer('POST', path, { status: 500, json: {} })
  acceptCalls(cli, 'CC-3')
  const first = await batch('run', 'calls', ...scripted)
  expect(first).toMatchObject({ exitCode: 9 })
  expect(first.stderr).toContain('1 person may have been called')
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 9 })
  expect(cli.requests).toHaveLength(3)
  acceptCalls(cli, 'CC-2')
  expect(await batch('run', 'calls', ...scripted, '--retry-unknown')).toMatchObject({
    exitCode: 0,
  })
  expect(cli.requests.at(-1)?.body).toMatchObject({ userNumber: '+12025550111' })
})

test('a rejected key stops the batch, and the next run continues', async () => {
  const { cli, batch, json } = await project()
  acceptCalls(cli, 'CC-1')
  cli.answer('POST', path, { status: 401, json: {} })
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 4 })
  expect((await json('status', 'calls')).data).toMatchObject({
    counts: { placed: 1, due: 2 },
    service: cli.baseUrl,
  })
  acceptCalls(cli, 'CC-2', 'CC-3')
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(cli.requests.map(({ body }) => (body as { userNumber: string }).userNumber)).toEqual([
    ...['+12025550110', '+12025550111', '+12025550111', '+12025550112'],
  ])
})

test('a batch is not continued at another service', async () => {
  const { cli, batch } = await project()
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  await batch('run', 'calls', ...scripted)
  const env = { CALLYARD_BASE_URL: 'http://127.0.0.1:9' }
  const { exitCode, stderr } = await cli.runWith({ env }, 'batch', 'run', 'calls', ...scripted)
  expect(exitCode).toBe(9)
  expect(stderr).toContain(`this batch was begun at ${cli.baseUrl}`)
})

test('only people who were added to the list are called later', async () => {
  const { cli, batch } = await project()
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  await batch('run', 'calls', ...scripted)
  const list = join(cli.folder, 'batches', 'contacts.csv')
  await writeFile(list, `${contacts}4,Di,+12025550113\n9,Ada again,+12025550110\n`)
  acceptCalls(cli, 'CC-4')
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(cli.requests).toHaveLength(4)
  expect(cli.requests.at(-1)?.body).toMatchObject({ userNumber: '+12025550113' })
})

test('exports the results, without formulas', async () => {
  const { cli, batch, json } = await project({ 'batches/contacts.csv': contacts.replace('2,=Bo', '=2+3,Bo') })
  acceptCalls(cli, '=cmd()', 'CC-2')
  cli.answer('POST', path, { status: 400, json: { message: '@evil' } })
  await batch('run', 'calls', ...scripted, '--out', 'written.csv')
  const out = await batch('export', 'calls', '--out', 'results.csv')
  expect(out).toMatchObject({ exitCode: 0, stdout: 'Wrote results.csv: 3 people\n' })
  const exported = await readFile(join(cli.folder, 'results.csv'), 'utf8')
  expect(await cli.read('written.csv')).toBe(exported)
  const lines = exported.split('\n')
  expect(lines[0]).toBe(
    '\ufeffid,number,status,attempts,times,calls,outcomes,from,seconds,endedBy,summary,success,next,optOut,error,consent,list,line',
  )
  expect(lines[1]).toMatch(
    /^1,\+12025550110,placed,1,2[^,]+,'=cmd\(\),placed,\+12025550100,,,,,,,,,batches\/contacts.csv,2$/,
  )
  expect(lines[2]).toMatch(/^'=2\+3,/)
  expect(lines[3]).toContain('rejected')
  const { data } = await json('export', 'calls')
  expect(data).toMatchObject({
    results: [{ id: '1', status: 'placed', calls: '=cmd()' }, {}, { status: 'rejected' }],
  })
})

test('a list needs no batch file', async () => {
  const { cli, batch } = batchCommands(await testCli({ 'people.csv': 'phone\n+12025550110\n' }))
  acceptCalls(cli, 'CC-1')
  const flags = ['people.csv', '--from', '+12025550100']
  expect(await batch('run', ...flags, ...scripted)).toMatchObject({ exitCode: 0 })
  for (const known of ['people', 'people.csv'])
    expect((await batch('status', known)).stdout).toBe('people: 1 placed\n1 call\n')
})

test.each(['concurrency: 5', 'retry: { attempts: 3 }', 'limit: { minutes: 60 }'])(
  '%s is rejected, because no outcomes are received',
  async line => {
    const { batch } = await project({ 'batches/calls.yaml': `${batchFile}${line}\n` })
    const { exitCode, stderr } = await batch('run', 'calls', ...scripted)
    expect(exitCode).toBe(3)
    expect(stderr).toContain('needs the outcomes of calls')
  },
)

test('invalid rows are skipped, and the command ends with 8', async () => {
  const { cli, batch, json } = await project({ 'batches/contacts.csv': `${contacts}4,Di,555\n` })
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  const { exitCode, stderr } = await batch('run', 'calls', ...scripted)
  expect(exitCode).toBe(8)
  expect(stderr).toContain('1 row of 4 cannot be called')
  expect(stderr).toContain('1 row not valid')
  const { data } = await json('export', 'calls')
  expect(data).toMatchObject({
    results: [{}, {}, {}, { id: '4', number: '555', status: 'invalid', error: 'invalid-number', line: '5' }],
  })
})

test('the people of a batch are known after its end, too', async () => {
  const window = 'window: { hours: 09:00-17:00, timezone: UTC }\nuntil: 2026-11-24T12:00Z\n'
  const { cli } = await project({ 'batches/calls.yaml': `${batchFile}${window}` })
  let now = Date.parse('2026-11-24T10:00:00Z')
  const clock = { now: () => now, sleep: async () => undefined }
  acceptCalls(cli, 'CC-1', 'CC-2')
  const limited = ['batch', 'run', 'calls', '--yes', '--max-calls', '2']
  expect(await cli.runWith({ clock }, ...limited)).toMatchObject({ exitCode: 8 })
  now += 3 * 3_600_000
  const late = await cli.runWith({ clock }, 'batch', 'run', 'calls', ...scripted)
  expect(late).toMatchObject({ exitCode: 8 })
  expect(late.stderr).toContain('1 person left (end of the batch)')
  const { stdout } = await cli.runWith({ clock }, 'batch', 'status', 'calls')
  expect(stdout).toBe('calls: 2 placed, 1 to call\n2 calls\n')
  expect(await cli.runWith({ clock }, 'batch', 'plan', 'calls')).toMatchObject({ exitCode: 3 })
})

test('nobody else is called after a batch was cancelled', async () => {
  const { cli, batch } = await project()
  acceptCalls(cli, 'CC-1')
  await batch('run', 'calls', '--yes', '--max-calls', '1')
  const cancelled = await batch('cancel', 'calls')
  expect(cancelled).toMatchObject({ exitCode: 0, stdout: 'Cancelled calls\n' })
  const { exitCode, stderr } = await batch('run', 'calls', ...scripted)
  expect(exitCode).toBe(9)
  expect(stderr).toContain('batch calls was cancelled')
  expect((await batch('status', 'calls')).stdout).toBe('calls: 1 placed, 2 to call; cancelled\n1 call\n')
  expect(cli.requests).toHaveLength(1)
})

test('a batch whose list is gone is paused and cancelled anyway', async () => {
  const { cli, batch, json } = await project()
  acceptCalls(cli, 'CC-1')
  await batch('run', 'calls', '--yes', '--max-calls', '1')
  await rm(join(cli.folder, 'batches', 'contacts.csv'))
  expect(await batch('pause', 'calls')).toMatchObject({
    exitCode: 0,
    stdout: 'Paused calls\n',
  })
  await rm(join(cli.folder, 'batches', 'calls.yaml'))
  const { exitCode, data } = await json('cancel', 'calls')
  expect(exitCode).toBe(0)
  expect(data).toEqual({ batch: 'calls', isCancelled: true, isPaused: true, counts: null })
})

test('a batch is resumed with the settings of its first run, however often and from anywhere', async () => {
  const { cli, batch } = batchCommands(
    await testCli({
      'people.csv': 'phone\n+12025550110\n+12025550111\n+12025550112\n',
      'dnc.csv': '+12025550112\n',
      'a/b.txt': '',
    }),
  )
  const settings = ['--from', '+12025550100', '--do-not-call', 'dnc.csv', '--first', '1']
  acceptCalls(cli, 'CC-1', 'CC-2')
  expect((await batch('run', 'people.csv', ...settings, ...scripted)).exitCode).toBe(8)
  const again = ['--yes', '--max-calls', '9']
  const inside = batchCommands(cli, { cwd: join(cli.folder, 'a') })
  expect(await inside.batch('resume', '../people.csv', ...again)).toMatchObject({ exitCode: 0 })
  await batch('pause', 'people.csv')
  const second = await batch('resume', 'people.csv', ...again)
  expect(second).toMatchObject({ exitCode: 0 })
  expect(second.stderr).not.toContain('not set')
  expect(cli.requests).toHaveLength(2)
  expect((await batch('status', 'people.csv')).stdout).toContain('2 placed')
})

test('without a project, the state of a batch is next to its list', async () => {
  const { cli, batch } = batchCommands(await testCli({ 'lists/people.csv': 'phone\n+12025550110\n' }))
  acceptCalls(cli, 'CC-1')
  const flags = ['--from', '+12025550100', ...scripted]
  await batch('run', 'lists/people.csv', ...flags)
  const inside = { cwd: join(cli.folder, 'lists') }
  expect(await cli.runWith(inside, 'batch', 'run', 'people.csv', ...flags)).toMatchObject({
    exitCode: 0,
  })
  expect(cli.requests).toHaveLength(1)
})

test('another round of calls to the same list has another name', async () => {
  const { cli, batch } = await project({ 'other/calls.csv': 'phone\n+12025550110\n+12025550115\n' })
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  await batch('run', 'calls', ...scripted)
  const again = await batch('run', 'calls', ...scripted)
  expect(again.stderr).toMatch(/3 of 3 were called since \d{4}-\d\d-\d\d and are not called again/)
  acceptCalls(cli, 'CC-4')
  const flags = ['other/calls.csv', '--from', '+12025550100']
  const other = await batch('run', ...flags, ...scripted)
  expect(other.stderr).toContain('batch calls was begun with batches/calls.yaml')
  expect(cli.requests).toHaveLength(4)
  acceptCalls(cli, 'CC-5', 'CC-6', 'CC-7')
  expect(await batch('run', 'calls', '--name', 'second', ...scripted)).toMatchObject({
    exitCode: 0,
  })
  expect(cli.requests).toHaveLength(7)
})

test('values from the environment are sent, and neither shown nor logged', async () => {
  const secret = 'code-4711'
  const files = {
    'callyard.yaml': 'log: values\n',
    'batches/calls.yaml': `${batchFile}variables: { door: "\${env:DOOR_CODE}", day: Monday }\n`,
  }
  const { cli, batch, json } = await project(files, { DOOR_CODE: secret })
  const { data } = await json('plan', 'calls')
  expect(data).toMatchObject({
    example: {
      body: { assistantOverrides: { dynamicVariables: { door: '****', day: 'Monday', name: 'Ada' } } },
    },
  })
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3')
  const { stdout, stderr } = await batch('run', 'calls', ...scripted, '--debug')
  expect(cli.requests[0]?.body).toMatchObject({ assistantOverrides: { dynamicVariables: { door: secret } } })
  const log = await cli.run('call', 'list', '--json')
  expect(log.stdout).toContain('"door": "****"')
  expect(stdout + stderr + log.stdout).not.toContain(secret)
})
