import { writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../../src/context.ts'
import { readLines } from '../../../../src/output/read-lines.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const assistant = `
name: Front desk
welcomeMessage: Hello {{name}}, how can I help?
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
assistantKnowledgeBaseIds: [workshop]
endCallPhrases: [goodbye]
endCallMessage: Thank you for calling.
assistantAnalysis: { summary: { enabled: true } }
`
const knowledge = `
knowledgeBaseId: workshop
faq:
  - { question: When are you open?, answer: From nine to six. }
  - { question: Where is the workshop?, answer: At 12 Canal Street. }
`
const project = { 'assistants/desk.yaml': assistant, 'knowledge-bases/workshop.yaml': knowledge }
const desk = ['call', 'chat', 'assistants/desk.yaml', '--var', 'name=Ada']

const spoken = (stdout: string) => stdout.split('\n').filter(line => /^(user|assistant) /.test(line))
const events = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

describe('lines on stdin', () => {
  test('are said one at a time, and answered from the knowledge base beside the assistant', async () => {
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

  test('that come after the call is over are left', async () => {
    const cli = await testCli(project)
    const result = await cli.runWith({ input: 'goodbye\nWhen are you open?\n' }, ...desk)
    expect(result).toMatchObject({ exitCode: 0 })
    expect(spoken(result.stdout).slice(1)).toEqual([
      'user       goodbye',
      'assistant  Thank you for calling.',
    ])
    expect(result.stdout).toContain('ended by assistant')
  })

  test('/hangup ends the call, the same as the end of the input', async () => {
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

  test('/keys are heard where the assistant takes them, else that is told', async () => {
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

  test('a command that is none is told, and the exit code says so', async () => {
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

  test('--json prints an event per line, no words that are still being made, and who has set what', async () => {
    const cli = await testCli({ ...project, 'overrides.yaml': 'dynamicVariables: { day: Monday }\n' })
    const input = 'When are you open?\n/vars\n'
    const { stdout, exitCode } = await cli.runWith(
      { input },
      ...desk,
      '--overrides',
      'overrides.yaml',
      '--json',
    )
    expect(exitCode).toBe(0)
    const all = events(stdout)
    expect(all.map(({ kind, status, role }) => status ?? role ?? kind)).toEqual([
      'queued',
      'ongoing',
      'assistant',
      'user',
      'assistant',
      'variables',
      'finished',
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

describe('who answers', () => {
  const entry = (record: object) => `${JSON.stringify({ kind: 'assistant', record })}\n`
  const journal = [
    '{"kind":"team","version":1,"teamId":"t","apiKey":"key-of-the-sandbox"}\n',
    entry({ _id: 'a1', name: 'First', welcomeMessage: 'This is the first.' }),
    entry({ _id: 'a2', name: 'Second', welcomeMessage: 'This is the second.' }),
    '{"kind":"tool","record":{"_id":"t1","type":"function","function":{"name":"look"}}}\n',
  ].join('')
  const records = ['--data', 'records.ndjson']

  test('without anything the newest assistant of the records', async () => {
    const cli = await testCli({ 'records.ndjson': journal })
    const result = await cli.run('call', 'chat', ...records)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('This is the second.') })
    expect(await cli.read('records.ndjson')).toBe(journal)
  })

  test('--assistant-id one of them; an unknown one is wrong usage', async () => {
    const cli = await testCli({ 'records.ndjson': journal })
    const result = await cli.run('call', 'chat', ...records, '--assistant-id', 'a1')
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('This is the first.') })
    const unknown = await cli.run('call', 'chat', ...records, '--assistant-id', 'b1')
    expect(unknown).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean a1?'),
    })
  })

  test('a tool that the records do not hold is left out, and that is told', async () => {
    const cli = await testCli({
      'records.ndjson': journal,
      'a.yaml': 'welcomeMessage: hi\nassistantToolIds: [t1, t2]\n',
    })
    const result = await cli.run('call', 'chat', 'a.yaml', ...records)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hi') })
    expect(result.stderr).toContain('the tool t2 is not in the sandbox’s records')
    expect(result.stderr).not.toContain('t1')
  })

  test('a knowledge base that is nowhere is told', async () => {
    const cli = await testCli({ 'assistants/desk.yaml': assistant })
    const result = await cli.run(...desk)
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the knowledge base workshop'),
    })
  })

  test.each([
    [[], 'no assistant is given'],
    [['assistants/desk.yaml', '--assistant-id', 'a1'], 'both given'],
    [['--data', 'nowhere.ndjson'], 'nowhere.ndjson'],
    [['assistants/desk.yaml', '--llm-model', 'small'], '--llm-url'],
  ])('%j is wrong usage', async (argv, words) => {
    const cli = await testCli(project)
    const result = await cli.run('call', 'chat', ...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) })
  })
})

describe('files that do not pass end it before anything starts', () => {
  test.each([
    ['the assistant', { ...project, 'assistants/desk.yaml': 'welcomeMessge: hi\n' }, 'desk.yaml:1:1'],
    [
      'its knowledge base',
      {
        ...project,
        'knowledge-bases/workshop.yaml': 'knowledgeBaseId: workshop\nfaq:\n  - { question: Why? }\n',
      },
      'workshop.yaml:3:5',
    ],
    ['the overrides', { ...project, 'o.yaml': 'recordingEnabled: perhaps\n' }, 'o.yaml:1:19'],
    ['the script', { ...project, 'c.txt': 'Hello\n/say-nothing long\n' }, 'c.txt:2:'],
  ])('%s', async (_what, files, place) => {
    const cli = await testCli(files)
    const flags = ['o.yaml', 'c.txt'].flatMap(name =>
      name in files ? [name === 'o.yaml' ? '--overrides' : '--caller', name] : [],
    )
    const result = await cli.run(...desk, ...flags, '--save', 'saved.txt')
    expect(result).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining(place) })
    await expect(stat(join(cli.folder, 'saved.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

test('--caller is the whole call without a terminal, whatever becomes of stdin', async () => {
  const cli = await testCli({ ...project, 'c.txt': 'When are you open?\n' })
  const result = await cli.runWith(
    { input: stalled('Where is the workshop?\n') },
    ...desk,
    '--caller',
    'c.txt',
  )
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended by user') })
  expect(spoken(result.stdout).filter(line => line.startsWith('user'))).toEqual([
    'user       When are you open?',
  ])
})

test('--save keeps all calls of a run, and never overwrites', async () => {
  const cli = await testCli(project)
  const input = 'When are you open?\n/restart\nWhere is the workshop?\n'
  expect(await cli.runWith({ input }, ...desk, '--save', 'saved.txt')).toMatchObject({ exitCode: 0 })
  const saved = await cli.read('saved.txt')
  expect(saved.match(/^# CC-.* · Front desk · /gm)).toHaveLength(2)
  expect(saved).toContain('user: When are you open?\nassistant: From nine to six.\n')
  expect(saved).toContain('user: Where is the workshop?\nassistant: At 12 Canal Street.\n')
  const again = await cli.runWith({ input }, ...desk, '--save', 'saved.txt')
  expect(again).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('exists already') })
  expect(await cli.read('saved.txt')).toBe(saved)
})

test('--save as .ndjson and .json hold what --json prints', async () => {
  const cli = await testCli(project)
  for (const name of ['saved.ndjson', 'saved.json']) {
    const { stdout } = await cli.runWith({ input: 'When are you open?\n' }, ...desk, '--json', '--save', name)
    const text = await cli.read(name)
    expect(name === 'saved.json' ? JSON.parse(text) : events(text)).toEqual(events(stdout))
  }
})

test('a model that cannot be reached is told, the call goes on, and the exit code is 6', async () => {
  const cli = await testCli({ 'a.yaml': 'welcomeMessage: hi\n' })
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  const llm = ['--llm-url', `http://127.0.0.1:${port}/v1`]
  const result = await cli.runWith({ input: 'Hello?\nAnybody?\n' }, 'call', 'chat', 'a.yaml', ...llm)
  expect(result).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('--llm-url') })
  expect(result.stdout).toContain('model')
  expect(spoken(result.stdout).filter(line => line.startsWith('user'))).toHaveLength(2)
})

test('webhooks that nobody takes are told once', async () => {
  const cli = await testCli({
    'a.yaml': 'welcomeMessage: hi\nassistantServer: { url: "http://127.0.0.1:9/" }\n',
  })
  const result = await cli.runWith({ input: 'Hello\nYes\n' }, 'call', 'chat', 'a.yaml')
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.stderr.match(/not delivered/g)).toHaveLength(1)
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

test('a signal while the call is placed hangs up, the same', async () => {
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
  expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('hung up by Ctrl-C') })
  expect(result.stdout).toContain('ended by user')
})

/** A program that says something, and then neither anything more nor that it is done. */
async function* stalled(first: string): AsyncGenerator<string> {
  yield first
  await new Promise(() => {})
}

describe('a person at the terminal', () => {
  const terminal = (editor: ReturnType<typeof person>['editor']) => ({
    terminal: true,
    clock: hastyClock(),
    editor,
  })

  test('reads the words as they are made, and leaves with Ctrl-D', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) says('When are you open?')
          if (text.includes('nine to six')) leaves()
        },
      },
      ...desk,
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended by user') })
    expect(plain(result.stdout)).toContain('user       When are you open?\nassistant  From nine to six.\n')
  })

  test('is heard after the call is picked up, when something was typed before', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    says('Where is the workshop?')
    const result = await cli.runWith(
      { ...terminal(editor), printed: text => text.includes('Canal') && leaves() },
      ...desk,
    )
    expect(plain(result.stdout)).toContain('user       Where is the workshop?')
  })

  test('stays in the call when /restart finds files that do not pass, and calls again when they are corrected', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const file = join(cli.folder, 'assistants/desk.yaml')
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) {
            writeFileSync(file, 'welcomeMessge: hi\n')
            says('/restart')
          }
          if (text.includes('this call goes on')) says('When are you open?')
          if (text.includes('nine to six')) {
            writeFileSync(file, 'welcomeMessage: Corrected.\n')
            says('/restart')
          }
          if (text.includes('Corrected.')) leaves()
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stderr)).toContain('desk.yaml:1:1')
    expect(result.stdout.match(/ongoing/g)).toHaveLength(2)
  })

  test('is told that /restart finds files that do not pass after the call', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) says('goodbye')
          if (text.includes('The call is over')) {
            writeFileSync(join(cli.folder, 'assistants/desk.yaml'), 'welcomeMessge: hi\n')
            says('/restart')
          }
          if (text.includes('no call was placed')) says('Hello?')
          if (text.includes('There is no call')) leaves()
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stderr)).toContain('There is no call')
  })

  test('hears while the call ends that Ctrl-C leaves at once, and it does, also from /restart', async () => {
    for (const command of ['/restart', undefined]) {
      const cli = await testCli(project)
      const { editor, says, leaves } = person()
      const ending = new AbortController()
      const result = await cli.runWith(
        {
          ...terminal(editor),
          signal: ending.signal,
          printed(text) {
            if (text.includes('how can I help')) {
              if (command === undefined) leaves()
              else says(command)
            }
            if (text.includes('Ctrl-C leaves at once')) ending.abort('SIGINT')
          },
        },
        ...desk,
        '--llm-url',
        await silentServer(),
      )
      expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Ctrl-C') })
      expect(result.stdout.match(/queued/g)).toHaveLength(1)
    }
  })

  test('is told when the assistant ended the call, and may call again', async () => {
    const cli = await testCli(project)
    const { editor, says, leaves } = person()
    let calls = 0
    const result = await cli.runWith(
      {
        ...terminal(editor),
        printed(text) {
          if (text.includes('how can I help')) {
            calls += 1
            if (calls === 1) says('goodbye')
            else leaves()
          }
          if (text.includes('The call is over')) says('/restart')
        },
      },
      ...desk,
    )
    expect(result.exitCode).toBe(0)
    expect(plain(result.stdout)).toMatch(/ended by assistant[\s\S]*ended by user/)
  })
})

/** The address of a model that never answers. */
async function silentServer(): Promise<string> {
  const server = createServer(() => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A line editor without a terminal: lines as somebody types them. */
function person() {
  const typed = new PassThrough()
  const source = readLines(typed)
  return {
    says: (line: string) => void typed.write(`${line}\n`),
    leaves: () => void typed.end(),
    editor: { ...source, width: 80, show() {}, aside: (write: () => void) => write() },
  }
}

/** Up to a few seconds pass at once; longer ones never do, so that nobody is idle. */
function hastyClock(): Clock {
  let now = 0
  return {
    now: () => now,
    async sleep(milliseconds, signal) {
      if (milliseconds > 4000) {
        await new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        )
      }
      now += milliseconds
      await setImmediate()
    },
  }
}

function plain(painted: string): string {
  return stripVTControlCharacters(painted)
}
