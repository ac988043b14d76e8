import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { starterProject } from '../../../../../src/cli/commands/starter-project.ts'
import { jsonLines } from '../../../../helpers/json-lines.ts'
import { listenOnLoopback } from '../../../../helpers/loopback.ts'
import { refusingOrigin } from '../../../../helpers/ports.ts'
import { realClock } from '../../../../helpers/real-clock.ts'
import { testCli } from '../../../../helpers/test-cli.ts'
import { desk, project, spoken } from './chat-project.ts'

describe('lines on stdin', () => {
  test('are spoken one at a time, and answered from the knowledge base next to the assistant', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith({ input: 'When are you open?\n\nWhere is the workshop?\n' }, ...desk)
    expect(spoken(result.stdout)).toEqual([
      'assistant  Hello Ada, how can I help?',
      'user       When are you open?',
      'assistant  From nine to six.',
      'user       Where is the workshop?',
      'assistant  At 12 Canal Street.',
    ])
    expect(result.stdout).toMatch(/finished · ended by user\n {3}summary {4}\S/)
    expect(result).toMatchObject({ exitCode: 0 })
    expect(result.stderr).toContain('knowledge-bases/workshop.yaml')
  })

  test('reach no server with --offline: tools are simulated', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end('{"booked":true}')
    })
    const { origin } = await listenOnLoopback(server)
    const starter = starterProject()
    const tool = 'tools/book-appointment.yaml'
    const text = starter[tool]?.replace(/url: .*/, `url: ${origin}/book`) ?? ''
    const cli = await testCli({ ...starter, [tool]: text }, { env: { WEBHOOK_URL: origin } })
    const say = (...flags: string[]) =>
      cli.runWith(
        { input: 'Book me in for Friday, please\n', clock: realClock },
        'call',
        'chat',
        '--json',
        ...flags,
      )
    const offline = await say('--offline')
    expect(offline).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"simulated":true') })
    expect(requests).toEqual([])
    await say()
    expect(requests).toEqual(['/book'])
    expect(await say('--offline', '--webhooks')).toMatchObject({ exitCode: 2 })
  })

  test('are not spoken if the sandbox rejects the call', async () => {
    const cli = await testCli({ 'desk.yaml': 'name: Desk\nassistantSystemPrompt: Be brief.\nmood: kind\n' })
    const result = await cli.runWith({ input: 'Hello\n' }, 'call', 'chat', 'desk.yaml', '--allow-unknown')
    expect(result).toMatchObject({ exitCode: 5, stdout: '' })
    expect(result.stderr).toContain('the sandbox rejected the call: assistant.mood is not a known field')
  })

  test('are ignored after the call is over', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith({ input: 'goodbye\nWhen are you open?\n' }, ...desk)
    expect(result).toMatchObject({ exitCode: 0 })
    expect(spoken(result.stdout).slice(1)).toEqual([
      'user       goodbye',
      'assistant  Thank you for calling.',
    ])
    expect(result.stdout).toContain('ended by assistant')
  })

  test('/hangup ends the call like the end of the input', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith({ input: '/hangup\nWhen are you open?\n' }, ...desk)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended by user') })
    expect(spoken(result.stdout)).toHaveLength(1)
  })

  test('/say-nothing makes the assistant ask, without any waiting', async () => {
    const cli = await testCli({
      'a.yaml': 'welcomeMessage: hi\nidleTimeout: 5\nmaxIdleMessagesInSequence: 1\n',
    })
    const result = await cli.runWith({ input: '/say-nothing 600\n' }, 'call', 'chat', 'a.yaml')
    expect(result).toMatchObject({ exitCode: 0 })
    expect(spoken(result.stdout)).toHaveLength(2)
  })

  test('/keys are sent if the assistant accepts them; otherwise a warning explains why not', async () => {
    const cli = await testCli({
      'a.yaml': 'welcomeMessage: hi\ndtmfInputEnabled: true\n',
      'b.yaml': 'welcomeMessage: hi\n',
    })
    const heard = await cli.runWith({ input: '/keys 12#\n' }, 'call', 'chat', 'a.yaml')
    expect(spoken(heard.stdout)).toContain('user       12#')
    const unheard = await cli.runWith({ input: '/keys 12#\n' }, 'call', 'chat', 'b.yaml')
    expect(unheard).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('dtmfInputEnabled') })
    expect(spoken(unheard.stdout)).toHaveLength(1)
  })

  test('an unknown command is reported, and the exit code says so', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith({ input: '/hangpu\nWhen are you open?\n' }, ...desk)
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean /hangup?') })
    expect(spoken(result.stdout)).toContain('assistant  From nine to six.')
  })

  test('/restart places a new call', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith(
      { input: 'When are you open?\n/restart\nWhere is the workshop?\n' },
      ...desk,
    )
    expect(result).toMatchObject({ exitCode: 0 })
    expect(spoken(result.stdout)).toEqual([
      'assistant  Hello Ada, how can I help?',
      'user       When are you open?',
      'assistant  From nine to six.',
      'assistant  Hello Ada, how can I help?',
      'user       Where is the workshop?',
      'assistant  At 12 Canal Street.',
    ])
  })

  test('--json prints an event per line, without partial replies, and with each speaker', async () => {
    const cli = await testCli({ ...project, 'overrides.yaml': 'dynamicVariables: { day: Monday }\n' })
    const input = 'When are you open?\n/vars\n'
    const flags = ['--overrides', 'overrides.yaml', '--json']
    const { stdout, exitCode } = await cli.runWith({ input }, ...desk, ...flags)
    expect(exitCode).toBe(0)
    const all = jsonLines(stdout)
    expect(all.map(({ kind, status, role }) => status ?? role ?? kind)).toEqual([
      ...['queued', 'ongoing', 'assistant', 'user', 'assistant', 'variables', 'finished'],
    ])
    expect(all.find(({ kind }) => kind === 'variables')).toEqual({
      kind: 'variables',
      set: { name: 'Ada', day: 'Monday' },
      unset: [],
    })
    expect(all.at(-1).record).toMatchObject({
      status: 'completed',
      callEndTriggerBy: 'user',
      analysis: { summary: expect.any(String) },
    })
  })
})

test('--caller is the whole call without a terminal, also where stdin ends', async () => {
  const cli = await testCli({ ...project, 'c.txt': 'When are you open?\n' })
  const input = stalled('Where is the workshop?\n')
  const result = await cli.runWith({ input }, ...desk, '--caller', 'c.txt')
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended by user') })
  expect(spoken(result.stdout).filter(line => line.startsWith('user'))).toEqual([
    'user       When are you open?',
  ])
})

test('--out keeps all calls of a run, and never overwrites', async () => {
  const cli = await testCli(project)
  const input = 'When are you open?\n/restart\nWhere is the workshop?\n'
  const { exitCode, stdout } = await cli.runWith({ input }, ...desk, '--out', 'saved.txt')
  expect(exitCode).toBe(0)
  const saved = await cli.read('saved.txt')
  expect(saved).toBe(stdout)
  expect(saved.match(/^── .* · queued$/gm)).toHaveLength(2)
  expect(saved).toContain('user       When are you open?\nassistant  From nine to six.\n')
  expect(saved).toContain('user       Where is the workshop?\nassistant  At 12 Canal Street.\n')
  const again = await cli.runWith({ input }, ...desk, '--out', 'saved.txt')
  expect(again).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('already exists') })
  expect(await cli.read('saved.txt')).toBe(saved)
  expect(await cli.runWith({ input }, ...desk, '--out', 'nowhere/saved.txt')).toMatchObject({ exitCode: 2 })
})

test('--out as .ndjson and .json hold what --json prints', async () => {
  const cli = await testCli(project)
  for (const name of ['saved.ndjson', 'saved.json']) {
    const { stdout } = await cli.runWith({ input: 'When are you open?\n' }, ...desk, '--json', '--out', name)
    const text = await cli.read(name)
    expect(name === 'saved.json' ? JSON.parse(text) : jsonLines(text)).toEqual(jsonLines(stdout))
  }
})

test('reports an unreachable model, continues the call, and exits with 6', async () => {
  const cli = await testCli({ 'a.yaml': 'welcomeMessage: hi\n' })
  const llm = ['--llm-url', `${await refusingOrigin()}/v1`]
  const result = await cli.runWith({ input: 'Hello?\nAnybody?\n' }, 'call', 'chat', 'a.yaml', ...llm)
  expect(result).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('--llm-url') })
  expect(result.stdout).toContain('model')
  expect(spoken(result.stdout).filter(line => line.startsWith('user'))).toHaveLength(2)
})

describe('webhooks', () => {
  const silent = 'welcomeMessage: hi\nassistantServer: { url: "http://127.0.0.1:9/" }\n'

  test('are sent with --webhooks, and reported once if no server accepts them', async () => {
    const cli = await testCli({ 'a.yaml': silent })
    const result = await cli.runWith({ input: 'Hello\nYes\n' }, 'call', 'chat', 'a.yaml', '--webhooks')
    expect(result).toMatchObject({ exitCode: 0 })
    expect(result.stderr.match(/not delivered/g)).toHaveLength(1)
    expect(result.stderr).not.toContain('--webhooks')
  })

  test('reports a receiver that violates interface.md 4.8 once, with its response on one line', async () => {
    const { origin, close } = await listenOnLoopback(
      createServer((_request, response) => void response.end('thanks\nhint: \u001b[2J')),
    )
    const cli = await testCli({ 'a.yaml': `welcomeMessage: hi\nassistantServer: { url: "${origin}/" }\n` })
    const result = await cli.runWith(
      { input: 'Hello\n', clock: realClock },
      ...['call', 'chat', 'a.yaml', '--webhooks'],
    )
    expect(result.exitCode).toBe(0)
    expect(result.stderr.match(/wrong response.*/g)).toEqual([
      `wrong response: ${origin}/ responded without a JSON object that has a message: thanks\\nhint: \\x1b[2J`,
    ])
    await close()
  })

  test('are not sent without it, of a file or of records, and one line says so', async () => {
    const received: string[] = []
    const { origin, close } = await listenOnLoopback(
      createServer((request, response) => {
        received.push(request.url ?? '')
        response.end('{"message":"ok"}')
      }),
    )
    const server = { url: `${origin.replace('//', '//user:password@')}/hook?token=secret` }
    const record = { _id: 'a1', welcomeMessage: 'hi', assistantServer: server }
    const cli = await testCli({
      'a.json': JSON.stringify({ welcomeMessage: 'hi', assistantServer: server }),
      'records.ndjson': [
        { kind: 'team', version: 1, teamId: 't', apiKey: 'k' },
        { kind: 'assistant', record },
      ]
        .map(entry => `${JSON.stringify(entry)}\n`)
        .join(''),
    })
    const input = 'Hello\n/restart\nHello\n'
    for (const argv of [['a.json'], ['--data', 'records.ndjson']]) {
      const result = await cli.runWith({ input, clock: realClock }, 'call', 'chat', ...argv)
      expect(result).toMatchObject({ exitCode: 0 })
      expect(result.stderr.match(/Webhooks are not sent to/g)).toHaveLength(1)
      expect(result.stderr).toContain(`${origin}/hook;`)
    }
    expect(received).toEqual([])
    await cli.runWith({ input, clock: realClock }, 'call', 'chat', 'a.json', '--webhooks')
    expect(received.length).toBeGreaterThan(0)
    await close()
  })
})

test('a signal hangs up, shows the end, and is 130', async () => {
  const ending = new AbortController()
  const cli = await testCli(project)
  const result = await cli.runWith(
    {
      input: stalled('When are you open?\n'),
      signal: ending.signal,
      printed: text => text.includes('nine to six') && ending.abort('SIGINT'),
    },
    ...desk,
  )
  expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Ctrl-C') })
  expect(result.stdout).toContain('ended by user')
})

test('a signal while the call is placed hangs up too', async () => {
  const ending = new AbortController()
  const cli = await testCli(project)
  const result = await cli.runWith(
    {
      input: stalled(''),
      signal: ending.signal,
      printed: text => text.includes('queued') && ending.abort('SIGINT'),
    },
    ...desk,
  )
  expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Hung up by Ctrl-C') })
  expect(result.stdout).toContain('ended by user')
})

/** A program that says something, and then neither anything more nor that it is done. */
async function* stalled(first: string): AsyncGenerator<string> {
  yield first
  await new Promise(() => {})
}
