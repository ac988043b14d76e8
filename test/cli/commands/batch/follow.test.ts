import { lstatSync, rmSync, symlinkSync } from 'node:fs'
import { appendFile, chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { toRecordedLine } from '../../../../src/events/recordings/index.ts'
import { gone } from '../../../helpers/alive.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox, type TestSandboxOptions } from '../../../helpers/test-sandbox.ts'
import { batchCommands } from './batch-commands.ts'

const contacts =
  'id,name,phone\n1,Ada,+12025550110\n2,Bo,+12025550181\n3,Cy,+12025550185\n4,Di,+12025550183\n'
const desk = 'name: Desk\nwelcomeMessage: Hello {{name}}.\n'
const batch = `list: contacts.csv
from: "+12025550100"
assistant: ../desk.yaml
`

async function project(
  settings = '',
  files: Readonly<Record<string, string>> = {},
  options: TestSandboxOptions = {},
) {
  const sandbox = await startTestSandbox(options)
  const own = {
    'callyard.yaml': '',
    'desk.yaml': desk,
    'batches/calls.yaml': `${batch}${settings}`,
    'batches/contacts.csv': contacts,
  }
  const cli = await testCli({ ...own, ...files }, { env: sandbox.env })
  return { cli, sandbox, run: batchCommands(cli, { clock: realClock }).json }
}

async function resultsOf(cli: TestCli, file = 'batches/results.csv') {
  const [header = '', ...lines] = (await cli.read(file)).replace('\ufeff', '').trimEnd().split('\n')
  const columns = header.split(',')
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, index) => [columns[index], cell])))
}

/** Runs a command and interrupts it: when it prints the first text, and again when it prints the second one. */
async function interrupted(
  cli: TestCli,
  argv: readonly string[],
  [first, second]: readonly [string, string],
) {
  const signal = new AbortController()
  let printed = ''
  let send = () => {}
  return cli.runWith(
    {
      clock: realClock,
      signal: signal.signal,
      secondSignal: sendSecond => {
        send = sendSecond
      },
      printed(text) {
        printed += text
        if (printed.includes(first)) signal.abort('SIGINT')
        if (printed.includes(second)) send()
      },
    },
    ...argv,
  )
}

describe('batch run --follow', () => {
  test('receives outcomes, calls again, and writes the results', async () => {
    const settings = 'retry: { attempts: 2, after: 0s }\nresults: results.csv\nconcurrency: 2\n'
    const { cli, run, sandbox } = await project(settings)
    const { exitCode, data } = await run('run', 'calls', '--follow')
    expect(exitCode).toBe(0)
    expect(data.at(-1)).toMatchObject({
      kind: 'summary',
      end: 'done',
      counts: { answered: 2, busy: 1, voicemail: 1 },
    })
    const results = await resultsOf(cli)
    expect(results).toMatchObject([
      { id: '1', status: 'answered', attempts: '1', endedBy: expect.any(String) },
      { id: '2', status: 'busy', attempts: '2', outcomes: 'busy; busy' },
      { id: '3', status: 'answered', attempts: '2', outcomes: 'no-answer; answered' },
      { id: '4', status: 'voicemail', attempts: '1' },
    ])
    expect((await stat(join(cli.folder, 'batches/results.csv'))).mode & 0o777).toBe(0o600)
    expect(sandbox.first.calls.list()).toHaveLength(6)
    const log = JSON.parse((await cli.run('call', 'list', '--json')).stdout)
    expect(log.calls.map(({ status }: { status: string }) => status).sort()).toEqual([
      ...['answered', 'answered', 'busy', 'busy', 'no-answer', 'voicemail'],
    ])
    const shown = await cli.run('call', 'show', '--last')
    expect(shown.stdout).toContain('Hello')
    const status = await run('status', 'calls')
    expect(status.data).toMatchObject({ calls: 6, counts: { answered: 2, busy: 1, voicemail: 1 }, next: [] })
    expect((await run('run', 'calls', '--follow')).data).toHaveLength(1)
  })

  test('exits with code 8 if the results were replaced by a link, which is not followed', async () => {
    const { cli } = await project('results: results.csv\n')
    const path = join(cli.folder, 'batches/results.csv')
    const printed = (text: string) => {
      if (!text.includes('"kind":"called"') || lstatSync(path).isSymbolicLink()) return
      rmSync(path)
      symlinkSync('contacts.csv', path)
    }
    const { exitCode, stderr } = await cli.runWith(
      { clock: realClock, printed },
      ...['batch', 'run', 'calls', '--follow', '--json'],
    )
    expect(exitCode).toBe(8)
    expect(stderr).toContain('callyard batch export calls --out <file>')
    expect(await cli.read('batches/contacts.csv')).toBe(contacts)
  })

  test('the second Ctrl-C ends the wait for calls in progress, and says how many continue', async () => {
    const { cli, sandbox } = await project('concurrency: 2\nresults: results.csv\n', {}, { frozen: true })
    const argv = ['batch', 'run', 'calls', '--follow']
    const { exitCode, stderr, stdout } = await interrupted(cli, argv, [
      '0/4 +12025550181 placed',
      'waiting for calls in progress',
    ])
    expect(exitCode).toBe(130)
    expect(stdout + stderr).toContain('press Ctrl-C again to exit now')
    expect(stderr).toContain('2 calls continue at the service, and the next run takes the outcome')
    expect(stderr).toContain('callyard batch resume calls --follow')
    expect(await resultsOf(cli)).toHaveLength(4)
    expect(sandbox.first.calls.list()).toHaveLength(2)
  })

  test('with --drain 0s, the first Ctrl-C waits for no call', async () => {
    const { cli, sandbox } = await project('concurrency: 2\n', {}, { frozen: true })
    const argv = ['batch', 'run', 'calls', '--follow', '--drain', '0s']
    const ended = await interrupted(cli, argv, ['0/4 +12025550181 placed', 'press Ctrl-C again'])
    expect(ended.exitCode).toBe(130)
    expect(ended.stdout + ended.stderr).not.toContain('waiting for calls in progress')
    expect(ended.stderr).toContain('2 calls continue at the service, and the next run takes the outcome')
    expect(sandbox.first.calls.list()).toHaveLength(2)
  })

  test('Ctrl-C ends the program of check, and its people are called by the next run', async () => {
    const { cli, run, sandbox } = await project('check: ./eligible.sh | cat\n', {
      'batches/eligible.sh':
        '#!/bin/sh\necho $$ > pid\n[ -e ready ] || exec sleep 600\nwhile read -r line; do echo yes; done\n',
    })
    await chmod(join(cli.folder, 'batches/eligible.sh'), 0o755)
    const stop = new AbortController()
    const running = cli.runWith(
      { clock: realClock, signal: stop.signal },
      ...['batch', 'run', 'calls', '--follow', '--yes'],
    )
    const pidFile = join(cli.folder, 'batches/pid')
    await expect.poll(() => readFile(pidFile, 'utf8').catch(() => '')).toMatch(/\d+\n/)
    const pid = await readFile(pidFile, 'utf8')
    stop.abort('SIGINT')
    expect(await running).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('Paused; 4 to call'),
    })
    await gone(Number(pid))
    await writeFile(join(cli.folder, 'batches/ready'), '')
    expect((await run('run', 'calls', '--follow', '--yes')).exitCode).toBe(0)
    expect(sandbox.first.calls.list()).toHaveLength(4)
  })

  test('puts a person who opts out on the do-not-call list, which call start and other batches honor', async () => {
    const caller = 'metadata: { caller: ["Stop calling me, please", "Goodbye"] }\n'
    const { cli, run } = await project(caller, {
      'batches/contacts.csv': contacts.split('\n').slice(0, 2).join('\n'),
    })
    const { data } = await run('run', 'calls', '--follow')
    expect(data).toContainEqual({ kind: 'opted-out', person: '1', words: 'Stop calling me, please' })
    const list = await cli.read('do-not-call.csv')
    expect(list).toMatch(/^number,call,at,words\n\+12025550110,CC-[^,]+,2[^,]+,"Stop calling me, please"\n$/)
    expect((await stat(join(cli.folder, 'do-not-call.csv'))).mode & 0o777).toBe(0o600)
    const started = await cli.run('call', 'start', '--from', '+12025550100', '--to', '+12025550110', '--yes')
    expect(started.exitCode).toBe(2)
    const other = await run('plan', 'calls', '--name', 'december')
    expect(other.data).toMatchObject({ people: 0, skipped: { doNotCall: 1 } })
    const despite = await run('run', 'calls', '--name', 'january', '--despite-opt-out', '--yes', '--follow')
    expect(despite.data.at(-1)).toMatchObject({ counts: { 'opted-out': 1 } })
    // The person is in the results of the batch in which they opted out.
    expect((await run('status', 'calls')).data).toMatchObject({ people: 1, counts: { 'opted-out': 1 } })
  })

  test('requires the file of the assistant', async () => {
    const { run } = await project('', { 'batches/calls.yaml': 'list: contacts.csv\nfrom: "+12025550100"\n' })
    const { exitCode, stderr } = await run('run', 'calls', '--follow')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('following a call requires the file of the assistant')
  })

  test('reports events that cannot be recorded without a flag that does not exist, and calls nobody', async () => {
    const { run } = await project('', { '.callyard/batches/calls/events.ndjson': 'x\n' })
    const { exitCode, stderr, data } = await run('run', 'calls', '--yes', '--max-calls', '9', '--follow')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('events.ndjson: it is not a recording')
    expect(stderr).not.toContain('--record')
    expect(data).toMatchObject([{ kind: 'error' }])
  })

  test('maps words of the deployment that callyard.yaml declares', async () => {
    const { run } = await project('', {
      'callyard.yaml': 'outcomes: { phoneCallStatus: { busy: unclear } }\n',
    })
    expect((await run('run', 'calls', '--follow')).data.at(-1)).toMatchObject({
      counts: { unclear: 1, answered: 1, voicemail: 1, 'no-answer': 1 },
    })
  })
})

describe('batch run --events', () => {
  test('reads outcomes from a recording that grows', async () => {
    const { cli, run, sandbox } = await project('retry: { attempts: 1 }\n', { 'calls.ndjson': '' })
    const path = join(cli.folder, 'calls.ndjson')
    const at = () => new Date().toISOString()
    const record = async (call: Record<string, unknown>) => {
      const body = JSON.stringify({ message: { type: 'status-update', call } })
      // A file that is rewritten is empty for a moment.
      await appendFile(path, toRecordedLine({ at: at(), headers: {}, body }))
    }
    const ended: Promise<void>[] = []
    const printed = (text: string) => {
      for (const line of text.split('\n').filter(each => each.includes('"called"'))) {
        const { call: id, to: userNumber } = JSON.parse(line)
        ended.push(record({ id, userNumber, status: 'finished', phoneCallStatus: 'busy' }))
      }
    }
    const result = await cli.runWith(
      { clock: realClock, printed },
      ...['batch', 'run', 'calls', '--events', 'calls.ndjson', '--json'],
    )
    await Promise.all(ended)
    expect(result.exitCode).toBe(0)
    expect(jsonLines(result.stdout).at(-1)).toMatchObject({ end: 'done', counts: { busy: 4 } })
    expect(sandbox.first.calls.list()).toHaveLength(4)
    expect((await run('status', 'calls')).data).toMatchObject({ counts: { busy: 4 } })
  })

  test('reports calls that are queued for longer than --queued-after', async () => {
    const { cli } = await project('concurrency: 1\n', { 'calls.ndjson': '' })
    const argv = ['batch', 'run', 'calls', '--events', 'calls.ndjson', '--queued-after', '1ms']
    const { stdout } = await interrupted(cli, argv, ['queued +12025550110', 'waiting for calls in progress'])
    expect(stdout).toContain('queued +12025550110 for 0 min; it may ring outside the window')
  })

  test('requires the recording, and not a listener', async () => {
    const { run } = await project()
    expect(await run('run', 'calls', '--events', 'missing.ndjson')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('webhook tail --record missing.ndjson'),
    })
    const both = await run('run', 'calls', '--events', 'missing.ndjson', '--follow')
    expect(both).toMatchObject({ exitCode: 2 })
    expect(both.stderr).toContain('cannot be used together')
  })
})

describe('a batch that is paused', () => {
  test('by `first` continues with resume, with the settings of the last run', async () => {
    const { run } = await project()
    const first = await run('run', 'calls', '--follow', '--first', '2', '--concurrency', '1')
    expect(first.exitCode).toBe(8)
    expect(first.stderr).toContain('callyard batch resume calls')
    expect(first.data).toContainEqual({ kind: 'stopped', by: 'first', reason: 'first: 2' })
    const refused = await run('run', 'calls', '--follow')
    expect(refused.exitCode).toBe(9)
    expect(refused.stderr).toContain('batch calls is paused (first: 2)')
    expect((await run('status', 'calls')).data).toMatchObject({ paused: { by: 'first' }, counts: { due: 2 } })
    expect(await run('resume', 'calls', '--follow')).toMatchObject({ exitCode: 0 })
  })

  test('by a person stays paused until it is resumed', async () => {
    const { run, sandbox } = await project('limit: { calls: 1 }\n')
    expect((await run('pause', 'calls')).stderr).toContain('batch calls has not been run')
    await run('run', 'calls')
    expect(await run('pause', 'calls')).toMatchObject({ exitCode: 0, data: { isPaused: true } })
    expect(await run('run', 'calls')).toMatchObject({ exitCode: 9 })
    expect(sandbox.first.calls.list()).toHaveLength(1)
    expect(await run('resume', 'calls')).toMatchObject({ exitCode: 8 })
  })
})

describe('people of a batch', () => {
  test('are added from a list and by number, removed, and shown as changes', async () => {
    const { cli, run, sandbox } = await project('limit: { calls: 9 }\n', {
      'more.csv': 'id,name,phone\n8,Eve,+12025550118\n1,Ada,+12025550110\n',
    })
    await run('run', 'calls', '--max-calls', '1')
    expect(await run('add', 'calls', 'more.csv')).toMatchObject({ exitCode: 0, data: { counts: { due: 4 } } })
    await writeFile(join(cli.folder, 'more.csv'), 'gone')
    expect(await run('add', 'calls', '--to', '+12025550119', '--value', 'name=Flo')).toMatchObject({
      exitCode: 0,
    })
    const again = await run('add', 'calls', '--to', '+12025550119', '--value', 'name=Flo')
    expect(again).toMatchObject({ exitCode: 3 })
    expect((await run('add', 'calls', '--to', '555', '--value', 'name=X')).stderr).toContain(
      'nobody was added',
    )
    expect(await run('remove', 'calls', '2', '+1 (202) 555-0185')).toMatchObject({
      data: { counts: { removed: 2 } },
    })
    expect((await run('remove', 'calls', '77')).stderr).toContain('77 is not in batch calls')
    await writeFile(join(cli.folder, 'batches', 'contacts.csv'), contacts.replace('Di', 'Diana'))
    const { exitCode, stderr } = await run('run', 'calls')
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/~ limit: \{"calls":1\} → \{"calls":9\}/)
    expect(stderr).toContain('1 with other values: 4')
    expect(stderr).toContain('2 added: 8, +12025550119')
    await sandbox.idle()
    const said = sandbox.first.calls
      .list()
      .map(({ messages = [] }) => messages.find(({ role }) => role === 'assistant')?.text)
    expect(said.sort()).toEqual(['Hello Ada.', 'Hello Diana.', 'Hello Eve.', 'Hello Flo.'])
  })

  test('who cannot be called are reported and left out when a list is added', async () => {
    const { cli, run } = await project()
    await run('run', 'calls')
    const faulty = 'id,name,phone\n20,Ida,555\n21,Jo,+12025550121\n22,Kim,1.2E+10\n'
    await writeFile(join(cli.folder, 'faulty.csv'), faulty)
    const partly = await run('add', 'calls', 'faulty.csv')
    expect(partly).toMatchObject({ exitCode: 8, data: { invalid: 2, counts: { due: 1 } } })
    for (const text of [
      'faulty.csv:2:8: error: "555" is not a phone number',
      'faulty.csv:4:8',
      '2 rows of faulty.csv cannot be called',
    ])
      expect(partly.stderr).toContain(text)
    await writeFile(join(cli.folder, 'faulty.csv'), faulty.replace('555', '+12025550120').replace(/22.*/, ''))
    expect(await run('add', 'calls', 'faulty.csv')).toMatchObject({
      exitCode: 0,
      data: { counts: { due: 2 } },
    })
    // Later runs do not report the rows that were left out.
    expect((await run('run', 'calls')).exitCode).toBe(0)
  })

  test('are called only if the command of check says yes', async () => {
    const verdicts = 'case "$row" in *Bo*) echo no: moved;; *Cy*) echo;; *) echo yes;; esac'
    const script = `#!/bin/sh\necho asked >> asked\nwhile read row; do ${verdicts}; done\n`
    const { cli, run, sandbox } = await project('check: ./eligible.sh\n', { 'batches/eligible.sh': script })
    expect((await run('run', 'calls', '--yes')).stderr).toContain('chmod +x ./eligible.sh')
    await chmod(join(cli.folder, 'batches/eligible.sh'), 0o755)
    expect((await run('run', 'calls')).stderr).toContain(
      '--yes is required to run batches/calls.yaml: ./eligible.sh',
    )
    const { exitCode, data } = await run('run', 'calls', '--yes')
    expect(exitCode).toBe(8)
    expect(data).toContainEqual({ kind: 'skipped', person: '2', reason: 'check: no: moved' })
    expect(data).toContainEqual({ kind: 'skipped', person: '3', reason: 'check: ' })
    expect(sandbox.first.calls.list()).toHaveLength(2)
    // Once for everybody.
    expect(await cli.read('batches/asked')).toBe('asked\n')
  })

  test.each([
    ['echo no database >&2; exit 3', 'check: ./eligible.sh exit code 3: no database'],
    ['echo yes', 'check: ./eligible.sh printed 1 lines for 4 people'],
  ])('are called later if the command of check fails: %s', async (command, message) => {
    const { cli, run, sandbox } = await project('check: ./eligible.sh\n', {
      'batches/eligible.sh': `#!/bin/sh\n${command}\n`,
    })
    await chmod(join(cli.folder, 'batches/eligible.sh'), 0o755)
    const { exitCode, stderr } = await run('run', 'calls', '--yes')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(sandbox.first.calls.list()).toEqual([])
    expect((await run('status', 'calls')).data).toMatchObject({ counts: { due: 4 } })
  })
})

test('a test call is placed with the values of the first person, and does not count', async () => {
  const { run, sandbox } = await project()
  const { exitCode, data } = await run('run', 'calls', '--test-call', '+12025550199')
  expect(exitCode).toBe(0)
  expect(data).toMatchObject([{ kind: 'test-call', person: '1', to: '+12025550199' }])
  await sandbox.idle()
  const [call] = sandbox.first.calls.list()
  expect(call).toMatchObject({ metadata: { batch: 'calls', person: '1', attempt: 0 } })
  expect(call?.messages?.[0]?.text).toBe('Hello Ada.')
  expect((await run('status', 'calls')).data).toMatchObject({ counts: { due: 4 }, calls: 0 })
})

test('--ui serves a page of the run until it ends', async () => {
  const { cli, run } = await project('first: 1\n')
  const pages: Promise<string>[] = []
  const printed = (text: string) => {
    const line = text.split('\n').find(each => each.includes('"kind":"ui"'))
    if (line === undefined) return
    const { url } = JSON.parse(line)
    for (const path of ['', 'rows?search=181'])
      pages.push(fetch(`${url}${path}`).then(response => response.text()))
  }
  const argv = ['batch', 'run', 'calls', '--follow', '--ui', '--json']
  expect((await cli.runWith({ clock: realClock, printed }, ...argv)).exitCode).toBe(8)
  const [html = '', rows = '{}'] = await Promise.all(pages)
  expect(html).toContain('<!doctype html>')
  expect(JSON.parse(rows)).toMatchObject({ total: 1, rows: [{ id: '2', numbers: ['+12025550181'] }] })
  expect((await run('status', 'calls')).data).toMatchObject({ paused: { by: 'first' } })
})

test.each([
  ['missing/results.csv', ['run'], 'the results cannot be written to '],
  ['../desk.yaml/results.csv', ['run'], 'the results cannot be written to '],
  ['contacts.csv', ['plan', 'run'], 'is not a results file'],
  ['pipe', ['plan', 'run'], 'is not a regular file; results cannot be written to it'],
  ['.', ['plan', 'run'], 'is not a regular file; results cannot be written to it'],
])(
  'nobody is called if the results cannot be written to %s, which %j report',
  async (file, verbs, problem) => {
    const { cli, run, sandbox } = await project(`results: ${file}\n`)
    await execa('mkfifo', [join(cli.folder, 'batches/pipe')])
    for (const verb of verbs) {
      const { exitCode, stderr } = await run(verb, 'calls')
      expect(exitCode).toBe(2)
      expect(stderr).toContain(problem)
    }
    expect(await cli.read('batches/contacts.csv')).toBe(contacts)
    expect(sandbox.first.calls.list()).toEqual([])
  },
)
