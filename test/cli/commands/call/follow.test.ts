import { expect, test } from 'vitest'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { patientClock } from '../../../helpers/patient-clock.ts'
import { reservePort } from '../../../helpers/ports.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { startCommand } from '../../../helpers/start-command.ts'
import { post } from '../../../helpers/target-server.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox } from '../../../helpers/test-sandbox.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550123']
const follow = ['call', 'start', '--yes', ...numbers, '--assistant', 'desk.yaml', '--follow']
const path = '/calls/v1/conversations'

test('shows a call on the sandbox from its first status to its analysis, and ends with it', async () => {
  const sandbox = await startTestSandbox()
  const cli = await testCli(
    { 'desk.yaml': 'name: Desk\nwelcomeMessage: Spoke and Chain, hello.\n' },
    { env: sandbox.env },
  )
  const caller = ['--metadata', 'caller=["Are you open?","/hangup"]']
  const { exitCode, stdout } = await cli.runWith({ clock: realClock }, ...follow, ...caller, '--json')
  const events = jsonLines(stdout)
  expect(exitCode).toBe(0)
  expect(events[0]).toEqual({ kind: 'placed', call: { sid: expect.stringMatching(/^CC-/) } })
  expect(events.filter(({ kind }) => kind === 'status').map(({ status }) => status)).toEqual([
    'queued',
    'ongoing',
    'finished',
  ])
  expect(events.filter(({ kind }) => kind === 'message').map(({ role, text }) => [role, text])).toEqual(
    expect.arrayContaining([
      ['assistant', 'Spoke and Chain, hello.'],
      ['user', 'Are you open?'],
    ]),
  )
  expect(events.at(-1)).toMatchObject({ kind: 'summary', calls: 1, finished: 1, badRequests: 0 })

  const read = await cli.runWith({ clock: realClock }, ...follow, ...caller, '--timestamps', 'relative')
  expect(read).toMatchObject({ exitCode: 0 })
  expect(read.stdout).toMatch(/^\+0:00 +── CC-\S+ · queued · ringing\n/)
  expect(read.stdout).toContain('assistant  Spoke and Chain, hello.')
  expect(read.stderr).toContain('placed +12025550100 → +12025550123')
})

test.each([
  ['+1 202 555 0181', 8, { phoneCallStatus: 'busy', callEndTriggerBy: 'system' }, undefined],
  ['+12025550183', 0, { callEndTriggerBy: 'user' }, 'leave a message'],
  ['+12025550187', 0, { callEndTriggerBy: 'system' }, 'Are you open?'],
])('a call to the test number %s of the sandbox exits with %i', async (number, exitCode, end, said) => {
  const sandbox = await startTestSandbox()
  const cli = await testCli(
    { 'desk.yaml': 'name: Desk\nwelcomeMessage: Spoke and Chain, hello.\nmaxCallDuration: 2\n' },
    { env: sandbox.env },
  )
  const argv = [
    'call',
    'start',
    '--yes',
    '--from',
    '+12025550100',
    '--to',
    number,
    '--assistant',
    'desk.yaml',
  ]
  const flags = ['--follow', '--metadata', 'caller=["Are you open?", "Goodbye"]', '--json']
  const result = await cli.runWith({ clock: realClock }, ...argv, ...flags)
  expect(result.exitCode).toBe(exitCode)
  const events = jsonLines(result.stdout)
  expect(events.findLast(({ kind }) => kind === 'status')).toMatchObject({ status: 'finished', ...end })
  const messages = events.filter(({ kind }) => kind === 'message')
  if (said === undefined) {
    expect(messages).toEqual([])
    expect(events.at(-1)).toMatchObject({ kind: 'unanswered', reason: end.phoneCallStatus })
  } else expect(messages).toContainEqual(expect.objectContaining({ text: expect.stringContaining(said) }))
})

test('a call to a number of sandbox start --numbers ends as the file says, in its order', async () => {
  const cli = await testCli({
    'desk.yaml': 'name: Desk\n',
    'numbers.yaml': '- { number: "+1 202 555 0190", outcome: [busy, unreachable] }\n',
  })
  const flags = ['--port', '0', '--pace', '0', '--in-memory', '--numbers', 'numbers.yaml', '--json']
  const [, baseUrl, apiKey] = await startCommand(cli, ['sandbox', 'start', ...flags]).printed(
    /"kind":"ready".*"baseUrl":"([^"]+)".*"apiKey":"([^"]+)"/,
  )
  const env = { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey }
  const argv = [
    'call',
    'start',
    '--yes',
    '--from',
    '+12025550100',
    '--to',
    '+12025550190',
    '--assistant',
    'desk.yaml',
  ]
  for (const reason of ['busy', 'failed', 'failed']) {
    const { exitCode, stdout } = await cli.runWith({ env, clock: realClock }, ...argv, '--follow', '--json')
    expect(exitCode).toBe(8)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ kind: 'unanswered', reason })
  }
})

test('--record appends the events of several calls to one recording', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  for (const id of ['CC-1', 'CC-2']) {
    cli.answer('POST', path, { json: { sid: id } })
    const url = () => cli.requests.at(-1)?.body as { assistant: { assistantServer: { url: string } } }
    const printed = (text: string) => {
      if (/^Call /.test(text))
        void post(
          url().assistant.assistantServer.url,
          statusUpdate(id, 'finished', { phoneCallStatus: 'completed' }),
        )
    }
    const argv = [...follow, '--yes', '--record', 'calls.ndjson']
    expect(await cli.runWith({ clock: realClock, printed }, ...argv)).toMatchObject({ exitCode: 0 })
  }
  const shown = await cli.run('webhook', 'show', 'calls.ndjson', '--json')
  expect(JSON.parse(shown.stdout).calls.map(({ callId }: { callId: string }) => callId)).toEqual([
    'CC-1',
    'CC-2',
  ])
})

test('rejects a recording in use before placing a call', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n', 'calls.ndjson': 'something else\n' })
  const { exitCode, stderr } = await cli.run(...follow, '--yes', '--record', 'calls.ndjson')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('calls.ndjson')
  expect(cli.requests.filter(({ method }) => method === 'POST')).toEqual([])
})

test.each([
  [
    'a greeting that grows in later updates',
    [
      conversationUpdate('CC-1', message('m1', 'Hello, this is Ada.')),
      conversationUpdate('CC-1', message('m1', 'Hello, this is Ada. Please leave a message after the tone.')),
    ],
  ],
  [
    'a word that only an earlier event has',
    [
      {
        message: {
          type: 'conversation-update',
          call: { id: 'CC-1', callEndTriggerBy: 'machine' },
          messages: [],
        },
      },
    ],
  ],
])('the log has the outcome that the recording has: voicemail by %s', async (_, events) => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  await followed(cli, ['--record', 'calls.ndjson'], async url => {
    for (const event of [statusUpdate('CC-1', 'ongoing'), ...events, statusUpdate('CC-1', 'finished')])
      await post(url, event)
  })
  expect((await cli.run('webhook', 'show', 'calls.ndjson')).stdout).toMatch(/^ +outcome +voicemail$/m)
  const { calls } = JSON.parse((await cli.run('call', 'list', '--json')).stdout)
  expect(calls).toEqual([expect.objectContaining({ id: 'CC-1', status: 'voicemail' })])
})

test('call connect can be followed too', async () => {
  const sandbox = await startTestSandbox()
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' }, { env: sandbox.env })
  const argv = [
    'call',
    'connect',
    '--yes',
    '--phone-number-id',
    'pn_1',
    '--to',
    '+12025550123',
    '--follow',
    '--json',
  ]
  const flags = ['--assistant', 'desk.yaml', '--metadata', 'caller=["/hangup"]']
  const { exitCode, stdout } = await cli.runWith({ clock: realClock }, ...argv, ...flags)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^\{"kind":"placed","call":\{"id":"CC-/)
  expect(stdout).toMatch(/"status":"finished"/)
})

test('sends the file’s assistantServer with our URL in place of its own', async () => {
  const own = {
    url: 'https://example.test/hook?token=secret',
    secret: 'of-the-test',
    headers: { 'X-Shop': 'bikes' },
    timeoutSeconds: 3,
    messages: ['status-update', 'conversation-update'],
    enabled: true,
  }
  const cli = await testCli({ 'desk.yaml': JSON.stringify({ name: 'Desk', assistantServer: own }) })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const { exitCode, stderr } = await followed(cli, [], async url => {
    expect(new URL(url)).toMatchObject({
      hostname: '127.0.0.1',
      pathname: expect.stringMatching(/^\/.{36}$/),
    })
    await post(url, statusUpdate('CC-1', 'ongoing'))
    await post(url, statusUpdate('CC-1', 'finished'))
  })
  expect(exitCode).toBe(0)
  expect(stderr).not.toContain('does not contain status-update')
  expect(stderr).toContain('Events of this call are sent here instead of to https://example.test/hook\n')
  expect(cli.requests[0]?.body).toMatchObject({
    assistant: {
      name: 'Desk',
      assistantServer: { ...own, url: expect.stringContaining('http://127.0.0.1:') },
    },
  })
})

test('messages of the file that leave out the statuses are reported: the end would not be seen', async () => {
  const cli = await testCli({
    'desk.yaml': 'name: Desk\nassistantServer: { messages: [conversation-update] }\n',
  })
  cli.answer('POST', path, { status: 422, json: { message: 'no' } })
  const { stderr } = await cli.run(...follow)
  expect(stderr).toContain('does not contain status-update')
  expect(cli.requests[0]?.body).toMatchObject({
    assistant: { assistantServer: { messages: ['conversation-update'] } },
  })
})

test.each([
  ['start', follow, path, {}],
  ['start, by an empty body', follow, path, undefined],
  [
    'connect',
    [
      ...['call', 'connect', '--yes', '--phone-number-id', 'pn_1', '--to', '+12025550123'],
      ...['--assistant', 'desk.yaml', '--follow'],
    ],
    `${path}/connect`,
    { status: 'queued', id: null },
  ],
])('follows call %s with a warning if the response has no id', async (_, argv, endpoint, json) => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', endpoint, json === undefined ? { body: '' } : { json })
  const { exitCode, stdout, stderr } = await followed(
    cli,
    [],
    async url => {
      await post(url, statusUpdate('CC-9', 'ongoing'))
      await post(url, statusUpdate('CC-9', 'finished'))
    },
    { argv },
  )
  expect(exitCode).toBe(0)
  expect(stderr).toContain('warning: the response has no call id')
  expect(stderr).toMatch(/^Call (placed|queued) /m)
  expect(stdout).toContain('CC-9 · finished')
})

test.each([
  ['a status in a word of telephony', [statusUpdate('CC-1', 'No_Answer')], 8, 'rang and was not picked up'],
  ['a report', [{ message: { type: 'end-of-call-report', messages: [message('m1', 'Hi')] } }], 0, ''],
  ['an end time alone', [statusUpdate('CC-1', 'ongoing', { endAt: 1772359200 })], 0, ''],
  ['a call that was forwarded', [statusUpdate('CC-1', 'forwarded')], 0, ''],
  [
    'a busy line',
    [{ message: { type: 'status-update', call: { phoneCallStatus: 'busy' } } }],
    8,
    'the line was busy',
  ],
])('ends with %s', async (_, events, code, said) => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const { exitCode, stderr } = await followed(cli, [], async url => {
    for (const event of events) await post(url, event)
  })
  expect(exitCode).toBe(code)
  expect(stderr).toContain(said)
})

test.each([
  ['busy', 'busy', 'the line was busy', 'run the same command again later'],
  ['NO ANSWER', 'no-answer', 'the phone rang and was not picked up', 'run the same command again later'],
  ['noAnswer', 'no-answer', 'the phone rang and was not picked up', 'run the same command again later'],
  ['failed', 'failed', 'the number could not be reached', 'check the number'],
  ['Cancelled', 'canceled', 'it was ended while the phone rang', ''],
  ['rejected', null, 'the service says rejected, system', ''],
  [undefined, null, 'the service says system', ''],
])('explains why a call with the phone status %s was not answered, and what to do', async (...row) => {
  const [phoneCallStatus, reason, why, hint] = row
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const { exitCode, stdout, stderr } = await followed(cli, ['--json'], async url => {
    await post(url, statusUpdate('CC-1', 'queued', { phoneCallStatus: 'ringing' }))
    await post(url, statusUpdate('CC-1', 'finished', { phoneCallStatus, callEndTriggerBy: 'system' }))
  })
  expect(exitCode).toBe(8)
  expect(stderr).toContain(`the call was not answered: ${why}`)
  expect(stderr).toContain(hint)
  expect(stdout.trimEnd().split('\n').at(-2)).toContain('"kind":"summary"')
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({
    kind: 'unanswered',
    reason,
    phoneCallStatus: phoneCallStatus ?? null,
    callEndTriggerBy: 'system',
    message: `the call was not answered: ${why}`,
    hint: hint === '' ? null : expect.stringContaining(hint),
  })
})

test('waits for the status with the analysis if only a message reports the end of the call', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const { exitCode, stdout } = await followed(cli, ['--json'], async url => {
    const call = { id: 'CC-1', status: 'finished', endAt: '2026-03-01T10:00:00Z' }
    await post(url, { message: { type: 'conversation-update', call, messages: [message('m1', 'Bye')] } })
    await post(url, statusUpdate('CC-1', 'finished', { analysis: { summary: 'done' } }))
  })
  expect(exitCode).toBe(0)
  expect(stdout.match(/"ended":true/g)).toHaveLength(1)
  expect(stdout).toContain('"analysis":{"summary":"done"}')
})

test('without any event, --follow ends after --event-timeout and suggests what to check', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const argv = [...follow, '--event-timeout', '20ms', '--json']
  const { exitCode, stdout, stderr } = await cli.runWith({ clock: realClock }, ...argv)
  expect(exitCode).toBe(6)
  expect(stderr).toContain('no event of the call arrived within 0.02s; the call continues')
  expect(stderr).toContain('callyard help follow')
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-2) ?? '')).toMatchObject({
    kind: 'no-events',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
    timeoutMs: 20,
    hint: expect.stringContaining('--event-timeout'),
  })
})

test('the first event in time switches --event-timeout off', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const clock = patientClock()
  const printed = (text: string) => {
    if (text.startsWith('Call ')) void post(serverOf(cli), statusUpdate('CC-1', 'ongoing'))
    if (!text.includes('ongoing')) return
    clock.pass()
    void post(serverOf(cli), statusUpdate('CC-1', 'finished', { analysis: { summary: 'done' } }))
  }
  const { exitCode, stdout } = await cli.runWith({ clock, printed }, ...follow)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('finished')
  expect(clock.slept).toContain(60_000)
})

test('Ctrl-C keeps the call and says so', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const ending = new AbortController()
  const { exitCode, stderr } = await followed(
    cli,
    [],
    async url => {
      await post(url, {
        message: { type: 'conversation-update', call: { id: 'CC-1' }, messages: [message('m1', 'Hi')] },
      })
      ending.abort('SIGINT')
    },
    { signal: ending.signal },
  )
  expect(exitCode).toBe(130)
  expect(stderr).toContain('You left before the call ended; the call continues')
})

test('a rejected call ends the listener too', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { status: 422, json: { message: 'no such number' } })
  expect(await cli.run(...follow)).toMatchObject({ exitCode: 5, stdout: '' })
})

test('--public-url is what the service is given, with a random path', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { status: 422, json: { message: 'no' } })
  const flags = ['--public-url', 'https://hooks.example.com', '--port', '0']
  expect(await cli.run(...follow, ...flags)).toMatchObject({ exitCode: 5 })
  expect(cli.requests[0]?.body).toMatchObject({
    assistant: { assistantServer: { url: expect.stringMatching(/^https:\/\/hooks\.example\.com\/.{36}$/) } },
  })
})

test('a path of --public-url is the listener’s too', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const port = await reservePort()
  const flags = ['--public-url', 'https://hooks.example.com/calls/in', '--port', String(port)]
  const { exitCode } = await followed(cli, flags, async url => {
    expect(url).toBe('https://hooks.example.com/calls/in')
    // What a proxy there would do.
    await post(`http://127.0.0.1:${port}/calls/in`, statusUpdate('CC-1', 'ongoing'))
    await post(`http://127.0.0.1:${port}/calls/in`, statusUpdate('CC-1', 'finished'))
  })
  expect(exitCode).toBe(0)
})

test.each([
  ['--tunnel'],
  ['--public-url', 'https://hooks.example.com'],
  ['--port', '4011'],
  ['--compact'],
  ['--timestamps', 'iso'],
])('%s without --follow places no call, because nothing would listen', async (...flags) => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  const { exitCode, stderr } = await cli.run('call', 'start', '--yes', ...numbers, ...flags)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`${flags[0]} requires --follow`)
})

test('the default of a flag that requires --follow may be given explicitly', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  const argv = [
    'call',
    'start',
    '--yes',
    ...numbers,
    '--assistant',
    'desk.yaml',
    '--dry-run',
    '--timestamps',
    'none',
  ]
  expect(await cli.run(...argv)).toMatchObject({ exitCode: 0 })
})

test.each([
  [
    'with a public URL that leads nowhere',
    [...follow, '--public-url', 'https://hooks.example.com'],
    '--port',
  ],
  [
    'without the file of an assistant',
    ['call', 'start', '--yes', ...numbers, '--assistant-id', 'a1', '--follow'],
    'following a call requires the file of the assistant, but a1 is an id',
  ],
  [
    'with an id that no file has',
    ['call', 'start', '--yes', ...numbers, '--assistant', '6650f0c2', '--follow'],
    '6650f0c2 is an id',
  ],
  [
    'without any assistant',
    ['call', 'start', '--yes', ...numbers, '--follow'],
    'following a call requires the file of the assistant, but none is given',
  ],
  ['with --dry-run', [...follow, '--dry-run'], '--dry-run'],
  ['with a base URL that is none', [...follow, '--base-url', 'nonsense'], '"nonsense" is not a URL'],
  ['far from the service', [...follow, '--base-url', 'https://calls.example.com'], '--public-url'],
])('%s, --follow is wrong usage and nothing is sent', async (_, argv, named) => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  const { exitCode, stderr } = await cli.run(...argv)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(named)
  expect(cli.requests).toEqual([])
})

/** Runs the command, and does something once the call is placed, with the address that the service was given. */
async function followed(
  cli: TestCli,
  flags: readonly string[],
  act: (url: string) => Promise<void>,
  {
    argv = follow,
    signal = new AbortController().signal,
  }: { readonly argv?: readonly string[]; readonly signal?: AbortSignal } = {},
) {
  let acted: Promise<void> | undefined
  const printed = (text: string) => {
    if (/^Call |"placed"/.test(text)) acted ??= act(serverOf(cli))
  }
  const result = await cli.runWith({ clock: realClock, printed, signal }, ...argv, ...flags)
  await acted
  return result
}

function serverOf(cli: TestCli): string {
  const body = cli.requests[0]?.body as { assistant: { assistantServer: { url: string } } }
  return body.assistant.assistantServer.url
}
