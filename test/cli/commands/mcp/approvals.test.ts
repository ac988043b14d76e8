import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { validMs } from '../../../../src/calls/approval/index.ts'
import { endpoints } from '../../../../src/interface/endpoints.ts'
import { createDeferred } from '../../../../src/lib/queue.ts'
import { callPaths } from '../../../../src/service/api/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { openMcp } from '../../../helpers/mcp-client.ts'
import { addProtectedProfile, passphrase } from '../../../helpers/protected-profile.ts'
import { noPause, realClock } from '../../../helpers/real-clock.ts'
import type { StubAnswer } from '../../../helpers/stub-api.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox } from '../../../helpers/test-sandbox.ts'

const call = { action: 'call', from: '+12025550100', to: '+12025550123' } as const
const desk = 'assistants/desk.yaml'
const project = { 'callyard.yaml': 'log: names\n', [desk]: 'name: Desk\nwelcomeMessage: Hello\n' }
const person = { hasTerminal: true, terminal: true } as const

async function agent(...flags: string[]) {
  const cli = await testCli(project)
  const mcp = await openMcp(cli, ...flags)
  return { cli, mcp, prepare: (input?: Input) => prepareAt(mcp, input) }
}

type Input = Readonly<Record<string, unknown>>

/** Prepares an action. Returns its code. */
async function prepareAt(mcp: Awaited<ReturnType<typeof openMcp>>, input: Input = call): Promise<string> {
  const { text } = await mcp.call('prepare', input)
  const code = /^Prepared (\w{4})/.exec(text)?.[1]
  if (code === undefined) throw new Error(text)
  return code
}

async function configFolder(cli: TestCli): Promise<string> {
  const { stdout } = await cli.run('profile', 'show', '--json')
  return dirname(JSON.parse(stdout).configFile)
}

test.each([
  ['call', call],
  ['apply', { action: 'apply' }],
])('without --allow, %s at a real service is not even requested', async (action, input) => {
  const { cli, mcp } = await agent('--allow', action === 'call' ? 'apply,batch' : 'call,batch')
  const { text, isError } = await mcp.call('prepare', input)
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('Not allowed') })
  const { stdout } = await cli.run('approve', '--list', '--json')
  expect(JSON.parse(stdout).requests).toEqual([])
  expect(cli.requests).toEqual([])
})

test('a person approves a call, and the agent gets its outcome', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  expect((await mcp.call('execute', { code, waitSeconds: 0 })).text).toContain('is pending')
  expect(cli.requests).toEqual([])
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y')
  const approved = await cli.runWith(person, 'approve', code.toLowerCase())
  expect(approved).toMatchObject({ exitCode: 0 })
  expect(approved.stderr).toContain('+12025550123')
  expect(approved.stderr).toContain(cli.baseUrl)
  expect(cli.requests.map(({ body }) => body)).toEqual([
    { userNumber: '+12025550123', assistantNumber: '+12025550100' },
  ])
  expect((await mcp.call('execute', { code })).text).toContain('CC-1')
  // Once.
  cli.type('y')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 9 })
  expect((await mcp.call('execute', { code })).text).toContain('CC-1')
  expect(cli.requests).toHaveLength(1)
  const { decisions } = JSON.parse((await cli.run('approve', '--list', '--json')).stdout)
  expect(decisions).toMatchObject([
    { code, decision: 'approved', action: 'call', to: '+12025550123', calls: 1 },
  ])
})

test('the agent needs no key; only the person who approves has it', async () => {
  const cli = await testCli(project, { env: { CALLYARD_API_KEY: '' } })
  const mcp = await openMcp(cli, '--allow', 'call')
  const code = await prepareAt(mcp)
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y')
  const env = { CALLYARD_API_KEY: 'key-of-the-person' }
  expect(await cli.runWith({ ...person, env }, 'approve', code)).toMatchObject({ exitCode: 0 })
  expect(cli.requests[0]?.headers.authorization).toBe('Bearer key-of-the-person')
})

test('an encrypted key is opened by the person who approves', async () => {
  const cli = await testCli(project, { env: { CALLYARD_API_KEY: '', CALLYARD_BASE_URL: '' } })
  await addProtectedProfile(cli)
  const mcp = await openMcp(cli, '--allow', 'call')
  const code = await prepareAt(mcp)
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y', passphrase)
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 0 })
  expect(cli.requests[0]?.headers.authorization).toBe('Bearer key-of-the-profile')
  expect((await mcp.call('execute', { code })).text).toContain('CC-1')
})

test('a person approves a deployment: exactly the plan that was shown', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'apply')
  const code = await prepare({ action: 'apply' })
  cli.answer('POST', endpoints.createAssistant.path, { json: { _id: 'a1' } })
  cli.type('y')
  const { stderr } = await cli.runWith(person, 'approve', code)
  expect(stderr).toContain('assistant/desk')
  expect(cli.requests.map(({ body }) => body)).toMatchObject([{ name: 'Desk', welcomeMessage: 'Hello' }])
  expect((await mcp.call('execute', { code })).text).toContain('exit code 0')
})

test('a person sees the texts that are deployed, long ones with --full', async () => {
  const { cli, prepare } = await agent('--allow', 'apply')
  const lines = Array.from({ length: 60 }, (_, index) => `    Rule ${index + 1}.\n`).join('')
  await writeFile(
    join(cli.folder, desk),
    `name: Desk\nwelcomeMessage: Hello\nassistantSystemPrompt: |\n${lines}`,
  )
  const code = await prepare({ action: 'apply' })
  cli.type('n')
  const short = await cli.runWith({ ...person, env: { CI: '' } }, 'approve', code)
  for (const shown of ['welcomeMessage: Hello', 'Rule 1.', `callyard approve ${code} --full`])
    expect(short.stderr).toContain(shown)
  expect(short.stderr).not.toContain('Rule 60.')
  const again = await prepare({ action: 'apply' })
  cli.type('n')
  expect((await cli.runWith(person, 'approve', again, '--full')).stderr).toContain('Rule 60.')
})

test('a person is asked about what the files use for the first time', async () => {
  const cli = await testCli(
    { ...project, [desk]: 'name: Desk\nwelcomeMessage: "${env:GREETING}"\n' },
    { env: { GREETING: 'Good morning' } },
  )
  const mcp = await openMcp(cli, '--allow', 'apply,call')
  for (const input of [{ action: 'apply' }, { ...call, assistant: desk }]) {
    const code = await prepareAt(mcp, input)
    cli.type('n')
    const refused = await cli.runWith(person, 'approve', code)
    expect(refused).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('GREETING') })
    expect(refused.stderr).not.toContain('Good morning')
  }
  const code = await prepareAt(mcp, { action: 'apply' })
  cli.answer('POST', endpoints.createAssistant.path, { json: { _id: 'a1' } })
  cli.type('y', 'y')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 0 })
})

test('a variable cannot imitate the lines above the question', async () => {
  const { cli, prepare } = await agent('--allow', 'call')
  const note = 'x\nTo       +12025550199\n\u001b[2J\u202e'
  const code = await prepare({ ...call, variables: { note } })
  cli.type('n')
  const { stderr } = await cli.runWith(person, 'approve', code)
  expect(stderr).not.toMatch(/^To\s+\+12025550199/m)
  expect(stderr).not.toMatch(/\u001b\[2J|\u202e/)
  const list = await cli.runWith(person, 'approve', '--list')
  expect(list.stdout).not.toMatch(/^To\s+\+12025550199/m)
})

test('a no rejects the request, and is in the call log', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  cli.type('n')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 0 })
  expect((await mcp.call('execute', { code })).text).toContain('was rejected')
  const second = await prepare()
  cli.type('unused')
  expect(await cli.runWith(person, 'approve', '--reject', second)).toMatchObject({ exitCode: 0 })
  const { decisions } = JSON.parse((await cli.run('approve', '--list', '--json')).stdout)
  expect(decisions.map(({ decision }: { decision: string }) => decision)).toEqual(['rejected', 'rejected'])
  expect(cli.requests).toEqual([])
})

test.each([
  ['a script', {}],
  ['a script with typed input', { input: 'y\n' }],
  ['a pipe for stdin', { terminal: true }],
  ['a terminal of somebody else', { terminal: true, inputIsTerminal: true }],
])('%s approves and rejects nothing', async (_, extra) => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  cli.type('y')
  for (const argv of [
    ['approve', code],
    ['approve', code, '--reject'],
  ]) {
    const result = await cli.runWith({ ...extra, env: { CI: '', TERM: 'xterm' } }, ...argv)
    expect(result.exitCode).toBe(2)
    expect(result.stderr).toContain('requires a terminal')
  }
  expect((await mcp.call('execute', { code, waitSeconds: 0 })).text).toContain('is pending')
  expect(cli.requests).toEqual([])
})

test.each([['--json'], ['--no-input']])('%s answers no question', async flag => {
  const { cli, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  cli.type('y')
  expect(await cli.runWith(person, 'approve', code, flag)).toMatchObject({ exitCode: 2 })
  expect(cli.requests).toEqual([])
})

test('files of the settings folder approve nothing', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  const folder = join(await configFolder(cli), 'approvals')
  const forged = { decision: 'approved', exitCode: 0, result: { sid: 'CC-forged' } }
  await writeFile(join(folder, `${code}.claim.json`), JSON.stringify({ pid: process.pid, host: 'here' }))
  await writeFile(join(folder, `${code}.outcome.json`), JSON.stringify(forged))
  expect((await mcp.call('execute', { code, waitSeconds: 0 })).text).toContain('CC-forged')
  for (const name of await readdir(folder))
    if (name.startsWith(code)) await writeFile(join(folder, name), 'approved')
  await mcp.call('execute', { code, waitSeconds: 0 })
  expect(cli.requests).toEqual([])
})

test.each([
  [
    'another number',
    (request: Request) => ({ ...request, action: { ...request.action, to: '+12025550199' } }),
  ],
  ['another folder', (request: Request) => ({ ...request, cwd: '/' })],
  ['another digest', (request: Request) => ({ ...request, digest: 'x' })],
])('a request that was changed to %s is refused before the question', async (_, change) => {
  const { cli, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  const file = join(await configFolder(cli), 'approvals', `${code}.request.json`)
  const request = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify(change(request)))
  cli.type('y')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 9 })
  expect(cli.requests).toEqual([])
})

interface Request {
  readonly action: Readonly<Record<string, unknown>>
}

test('the service is that of the person, whatever the request says', async () => {
  const { cli, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  const file = join(await configFolder(cli), 'approvals', `${code}.request.json`)
  const request = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...request, service: 'https://elsewhere.example.test' }))
  cli.type('y')
  const result = await cli.runWith(person, 'approve', code)
  expect(result).toMatchObject({ exitCode: 9 })
  expect(result.stderr).toMatch(/your settings\s+use/)
  expect(cli.requests).toEqual([])
})

test('files that change after the request make it invalid', async () => {
  const { cli, prepare } = await agent('--allow', 'call')
  const code = await prepare({ ...call, assistant: desk })
  const file = join(cli.folder, desk)
  await writeFile(file, (await readFile(file, 'utf8')).replace('Hello', 'Give me your card number'))
  cli.type('y')
  const result = await cli.runWith(person, 'approve', code)
  expect(result).toMatchObject({ exitCode: 9 })
  expect(result.stderr).toMatch(/have\s+changed/)
  expect(cli.requests).toEqual([])
})

test('a request expires after ten minutes', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  const code = await prepare()
  const later = {
    now: () => Date.now() + validMs,
    sleep: (_: number, signal?: AbortSignal) => noPause(signal),
  }
  cli.type('y')
  const result = await cli.runWith({ ...person, clock: later }, 'approve', code)
  expect(result).toMatchObject({ exitCode: 9 })
  expect(result.stderr).toContain('expired')
  expect(cli.requests).toEqual([])
  expect((await mcp.call('execute', { code, waitSeconds: 0 })).text).toContain('is pending')
})

test('a limit forbids a call when it is prepared, and when it is approved', async () => {
  const { cli, mcp, prepare } = await agent('--allow', 'call')
  await cli.runWith({ input: 'k' }, 'profile', 'add', 'work', '--base-url', cli.baseUrl, '--api-key-stdin')
  await cli.run('profile', 'protect', 'work', '--allow-number', '+12025550123')
  expect((await mcp.call('prepare', { ...call, to: '+12025550124' })).text).toContain('number-not-allowed')
  const code = await prepare()
  await cli.run('profile', 'protect', 'work', '--calls-per-day', '0')
  cli.type('y')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 2 })
  expect(cli.requests).toEqual([])
})

test('a sandbox needs no approval, unless its profile requires it', async () => {
  const sandbox = await startTestSandbox()
  const placed = () =>
    sandbox.events.filter(event => event.kind === 'call' && event.status === 'queued').length
  const cli = await testCli(project, {
    env: { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey },
  })
  const mcp = await openMcp(cli)
  const { text } = await mcp.call('prepare', { ...call, assistant: desk })
  const [, code = ''] = /^Prepared (\w{4}) at a sandbox/.exec(text) ?? []
  const done = await Promise.all([mcp.call('execute', { code }), mcp.call('execute', { code })])
  expect(done.filter(({ isError }) => isError)).toHaveLength(0)
  expect(placed()).toBe(1)
  await addProtectedProfile(cli, { baseUrl: sandbox.baseUrl })
  expect((await mcp.call('prepare', call)).text).toContain('Not allowed')
})

test('a batch at a sandbox ends when the client goes', async () => {
  const called = createDeferred()
  const sandbox = await startTestSandbox({
    observe: ({ kind }) => kind === 'status' && called.resolve(),
  })
  const cli = await testCli(
    {
      ...project,
      'batches/run.yaml':
        'list: run.csv\nfrom: "+12025550100"\nassistant: ../assistants/desk.yaml\nrate: 1/min\n',
      'batches/run.csv': 'phone\n+12025550111\n+12025550112\n',
    },
    { env: { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey } },
  )
  const mcp = await openMcp(cli)
  const { text } = await mcp.call('prepare', { action: 'batch', batch: 'run', maxCalls: 9 })
  const [, code = ''] = /^Prepared (\w{4}) at a sandbox/.exec(text) ?? []
  const outcome = mcp.call('execute', { code }).catch(() => undefined)
  await called.promise
  await mcp.close()
  await outcome
  const placed = sandbox.events.filter(event => event.kind === 'call' && event.status === 'queued')
  expect(placed).toHaveLength(1)
})

test('a sandbox that only callyard.yaml names gets no key of the environment', async () => {
  const sandbox = await startTestSandbox()
  const env = { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: sandbox.apiKey }
  const files = { ...project, 'callyard.yaml': `baseUrl: ${sandbox.baseUrl}\n` }
  const cli = await testCli(files, { env })
  const mcp = await openMcp(cli)
  const { text } = await mcp.call('prepare', call)
  const [, code = ''] = /^Prepared (\w{4}) at a sandbox/.exec(text) ?? []
  expect((await mcp.call('execute', { code })).text).toContain('environment-key-withheld')
  expect(await cli.run('assistant', 'create', desk)).toMatchObject({ exitCode: 0 })
})

test.each(['run', 'plan', 'apply'])('the batch %s is approved by its own name in any folder', async name => {
  const list = (number: string) => `name,phone\nAda,${number}\n`
  const batch = (file: string) => `list: ${file}\nfrom: "+12025550100"\nassistant: ../assistants/desk.yaml\n`
  const cli = await testCli({
    ...project,
    'batches/plan.yaml': batch('plan.csv'),
    'batches/plan.csv': list('+12025550111'),
    'batches/run.yaml': batch('run.csv'),
    'batches/run.csv': list('+12025550112'),
    'batches/apply.yaml': batch('apply.csv'),
    'batches/apply.csv': list('+12025550113'),
  })
  const mcp = await openMcp(cli, '--allow', 'batch')
  const code = await prepareAt(mcp, { action: 'batch', batch: name, maxCalls: 5 })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y')
  const { exitCode, stderr } = await cli.runWith({ ...person, cwd: await temporaryFolder() }, 'approve', code)
  expect(exitCode, stderr).toBe(0)
  const [sent] = cli.requests.map(({ body }) => body as { userNumber: string })
  expect(stderr).toContain(sent?.userNumber)
  expect(sent?.userNumber).toBe({ plan: '+12025550111', run: '+12025550112', apply: '+12025550113' }[name])
})

test('approve takes the global flags of its person to the command', async () => {
  const files = {
    ...project,
    [desk]: 'name: Desk\nwelcomeMessage: ${env:GREETING}\n',
    'agent.env': 'GREETING=Hello\n',
    'person.env': 'GREETING=Good morning\n',
  }
  const cli = await testCli(files)
  const mcp = await openMcp(cli, '--allow', 'call', '--env-file', 'agent.env')
  const code = await prepareAt(mcp, { ...call, assistant: desk })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y', 'y')
  expect(await cli.runWith(person, 'approve', code)).toMatchObject({ exitCode: 3 })
  expect(cli.requests).toEqual([])
  const result = await cli.runWith(person, 'approve', code, '--env-file', 'person.env')
  expect(result.exitCode, result.stderr).toBe(0)
  expect(cli.requests[0]?.body).toMatchObject({ assistant: { welcomeMessage: 'Good morning' } })
})

test('--exec-env of approve reaches the programs of a batch', async () => {
  const files = {
    ...project,
    'batches/run.yaml':
      'list: run.csv\nfrom: "+12025550100"\nassistant: ../assistants/desk.yaml\ncheck: sh eligible.sh\n',
    'batches/run.csv': 'phone\n+12025550111\n',
    'batches/eligible.sh': 'while read -r _; do echo "$VERDICT"; done\n',
  }
  const cli = await testCli(files, { env: { ...process.env, VERDICT: 'yes' } })
  const mcp = await openMcp(cli, '--allow', 'batch')
  const code = await prepareAt(mcp, { action: 'batch', batch: 'run', maxCalls: 1 })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y', 'y')
  const result = await cli.runWith({ ...person, clock: realClock }, 'approve', code, '--exec-env', 'VERDICT')
  expect(result.exitCode, result.stderr).toBe(0)
  expect(cli.requests).toHaveLength(1)
})

/** A batch of two people that is requested; `during` happens once the first one was called. */
async function approvedBatch(
  during: (cli: TestCli) => Promise<unknown>,
  first: StubAnswer = { json: { sid: 'CC-1' } },
) {
  const cli = await testCli({
    ...project,
    'batches/run.yaml':
      'list: run.csv\nfrom: "+12025550100"\nassistant: ../assistants/desk.yaml\nrate: 1/min\n',
    'batches/run.csv': 'name,phone\nAda,+12025550111\nBea,+12025550112\n',
  })
  const mcp = await openMcp(cli, '--allow', 'batch')
  const code = await prepareAt(mcp, { action: 'batch', batch: 'run', maxCalls: 9 })
  cli.answer('POST', callPaths.start, first)
  let [now, isDone] = [Date.now(), false]
  const clock = {
    now: () => now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      if (cli.requests.length === 1 && !isDone) {
        isDone = true
        await during(cli)
      }
      now += milliseconds
      await noPause(signal)
    },
  }
  cli.type('y')
  const result = await cli.runWith({ ...person, clock }, 'approve', code)
  return {
    cli,
    result,
    called: () => cli.requests.map(({ body }) => (body as { userNumber: string }).userNumber),
  }
}

test('an approved batch calls each person who was shown, once', async () => {
  const { cli, result, called } = await approvedBatch(async each =>
    each.answer('POST', callPaths.start, { json: { sid: 'CC-2' } }),
  )
  expect(result.exitCode, result.stderr).toBe(0)
  expect(result.stderr).toMatch(/People\s.*2 in US: \+12025550111, \+12025550112/)
  expect(called()).toEqual(['+12025550111', '+12025550112'])
  expect(cli.requests).toHaveLength(2)
})

test('an approved batch does not call people who were added meanwhile', async () => {
  const { result, called } = await approvedBatch(async cli => {
    const add = ['add', 'run', '--to', '+12025550113', '--value', 'name=Eve']
    expect(await cli.run('batch', ...add)).toMatchObject({ exitCode: 0 })
    expect(await cli.run('batch', 'remove', 'run', '+12025550112')).toMatchObject({ exitCode: 0 })
  })
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('does not match the approved request')
  expect(called()).toEqual(['+12025550111'])
})

test('an approved batch calls nobody again', async () => {
  const { result, called } = await approvedBatch(
    async cli => {
      const retry = ['retry', 'run', '--outcome', 'rejected']
      expect(await cli.run('batch', ...retry)).toMatchObject({ exitCode: 0 })
      expect(await cli.run('batch', 'remove', 'run', '+12025550112')).toMatchObject({ exitCode: 0 })
    },
    { status: 400, json: {} },
  )
  expect(result.exitCode).toBe(9)
  expect(called()).toEqual(['+12025550111'])
})

test('a busy service is asked again for the same call of an approved batch', async () => {
  const { result, called } = await approvedBatch(
    async cli => {
      cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
      cli.answer('POST', callPaths.start, { json: { sid: 'CC-2' } })
    },
    { status: 429, json: {} },
  )
  expect(result).toMatchObject({ exitCode: 0 })
  expect(called()).toEqual(['+12025550111', '+12025550111', '+12025550112'])
})

test('a file that changes once the person has answered is not sent', async () => {
  const { cli, prepare } = await agent('--allow', 'call')
  const code = await prepare({ ...call, assistant: desk })
  const claim = join(await configFolder(cli), 'approvals', `${code}.claim.json`)
  const flip = (async () => {
    while (
      await readFile(claim).then(
        () => false,
        () => true,
      )
    )
      await new Promise(setImmediate)
    await writeFile(join(cli.folder, desk), 'name: Desk\nwelcomeMessage: Read me your card number\n')
  })()
  // No response is prepared, because the call may be refused.
  cli.type('y')
  await cli.runWith(person, 'approve', code)
  await flip
  const bodies = cli.requests.map(({ body }) => JSON.stringify(body))
  expect(bodies.filter(body => body.includes('card number'))).toEqual([])
})

test('a code is not a path', async () => {
  const { cli } = await agent('--allow', 'call')
  cli.type('y')
  const run = await cli.runWith(person, 'approve', '../../elsewhere', '--reject')
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('request ../../elsewhere not found'),
  })
})
