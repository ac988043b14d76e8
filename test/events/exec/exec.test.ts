import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MessageChange } from '../../../src/events/conversation/index.ts'
import { type ExecEvent, loadExec } from '../../../src/events/exec/index.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { gone, isAlive } from '../../helpers/alive.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { jsonLines } from '../../helpers/json-lines.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { newsLog } from '../../helpers/news.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { reaped } from '../../lib/process/reaped.ts'

const { createExec } = await loadExec()

type ExecOptions = Parameters<typeof createExec>[0]

/** An exec whose program is this script. */
async function start(script: string, options: Partial<ExecOptions> = {}) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'take.mjs'), script, { mode: 0o755 })
  const news = newsLog<ExecEvent>()
  const exec = await createExec({
    command: `${process.execPath} take.mjs`,
    cwd: folder,
    env: createProgramEnvironment(process.env),
    clock: realClock,
    line: change => `${JSON.stringify(change)}\n`,
    onEvent: news.tell,
    ...options,
  })
  onTestFinished(async () => void (await exec.close(0)))
  return { exec, news, folder, file: (name: string) => readFile(join(folder, name), 'utf8') }
}

const message = (messageId: string, callId = 'CC-1', text = 'Hello'): MessageChange => ({
  kind: 'message',
  callId,
  messageId,
  role: 'user',
  text,
  timestamp: undefined,
})

const patience = 20_000
/** Appends what it reads to the file all. */
const collect = `
import { appendFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
appendFileSync('all', await text(process.stdin))
`

test('each message is one run, with its line on stdin', async () => {
  const { exec, news, file } = await start(collect)
  const first = message('1', 'CC-1', "it's $HOME `ls` \u{1F642}\n")
  const second = message('2')
  exec.run(first)
  exec.run(second)
  expect(await exec.close(patience)).toEqual({ succeeded: 2, failed: 0, ended: 0, notRun: 0 })
  expect(jsonLines(await file('all'))).toEqual(
    [first, second].map(change => JSON.parse(JSON.stringify(change))),
  )
  expect(news.all).toEqual([])
})

test('messages of a call run in their order, calls side by side, no more at once than the limit', async () => {
  const script = `
import { appendFileSync, readFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
const { callId, messageId } = await json(process.stdin)
appendFileSync('all', 'start ' + callId + ' ' + messageId + '\\n')
// The first two calls run together, or not at all.
const other = { a: 'start b 1', b: 'start a 1' }[callId]
while (other !== undefined && !readFileSync('all', 'utf8').includes(other)) {
  await new Promise(resolve => setTimeout(resolve, 5))
}
appendFileSync('all', 'end ' + callId + ' ' + messageId + '\\n')
`
  const { exec, file } = await start(script, { atOnce: 2 })
  for (const id of ['1', '2', '3']) for (const call of ['a', 'b', 'c']) exec.run(message(id, call))
  expect(await exec.close(patience)).toMatchObject({ succeeded: 9 })
  const steps = (await file('all')).trimEnd().split('\n')
  for (const call of ['a', 'b', 'c']) {
    expect(steps.filter(step => step.includes(` ${call} `))).toEqual(
      ['1', '2', '3'].flatMap(id => [`start ${call} ${id}`, `end ${call} ${id}`]),
    )
  }
  const running = steps.map((_step, index) =>
    steps.slice(0, index + 1).reduce((sum, step) => sum + (step.startsWith('start') ? 1 : -1), 0),
  )
  expect(Math.max(...running)).toBe(2)
})

test.each([
  ['pipes and operators', `{ printf hello; } | tr a-z A-Z; exit 4`, ['HELLO', 'exit code 4']],
  ['variables', 'printf "%s" "$WORD ${WORD}s"; exit 4', ['a  word a  words', 'exit code 4']],
  [
    'quotes and patterns',
    `printf '%s ' 'a b' "c" ta*.mjs "$(printf d)"; exit 4`,
    ['a b c take.mjs d ', 'exit code 4'],
  ],
  ['several lines', 'cd .\nif test -f take.mjs; then echo yes; fi\nexit 4', ['yes', 'exit code 4']],
])('a shell runs the command, with %s', async (_what, command, expected) => {
  const { exec, news } = await start('', {
    command,
    env: createProgramEnvironment({ ...process.env, WORD: 'a  word' }, ['WORD']),
  })
  exec.run(message('1'))
  const failed = await news.told('exec-failed')
  const lines = news.all.flatMap(said => (said.kind === 'output' ? said.line : []))
  expect([...lines, failed.reason]).toEqual(expected)
})

test('no text of a message reaches the shell', async () => {
  const hostile = '$(touch hit); `touch hit` && touch hit\n touch hit #'
  const { exec, folder } = await start(collect)
  exec.run({ ...message(hostile, hostile, hostile), role: hostile })
  expect(await exec.close(patience)).toMatchObject({ succeeded: 1 })
  expect((await readdir(folder)).toSorted()).toEqual(['all', 'take.mjs'])
})

test.each(['./missing', 'no-such-program', '  no-such-program | cat'])(
  'rejects %s at once',
  async command => {
    await expect(start('', { command })).rejects.toMatchObject({
      kind: 'usage',
      code: 'exec-not-found',
      message: `command not found: ${command.trim().split(' ')[0]}`,
      details: { program: command.trim().split(' ')[0] },
    })
  },
)

test.each(['no-such-program; true', '"no-such-program"', 'A=1 no-such-program', '$NONE no-such-program'])(
  'reports a missing program of %s when it runs',
  async command => {
    const { exec, news } = await start('', { command: `${command} 2>&1; no-such-program` })
    exec.run(message('1'))
    expect(await news.told('exec-failed')).toMatchObject({
      reason: 'exit code 127 (command not found)',
      stderr: expect.stringContaining('no-such-program'),
    })
  },
)

test('both of its streams are shown line by line', async () => {
  const { exec, news } = await start(`
process.stdout.write('one\\ntwo')
process.stderr.write('three\\n')
`)
  exec.run(message('1'))
  await exec.close(patience)
  const lines = news.all.map(said => (said.kind === 'output' ? said.line : said.kind))
  expect(lines.toSorted()).toEqual(['one', 'three', 'two'])
})

test('shows 64 KiB of much output, and the program runs to its end', async () => {
  const { exec, news } = await start(`
import { writeSync } from 'node:fs'
for (let line = 0; line < 3000; line++) writeSync(1, 'x'.repeat(99) + '\\n')
`)
  exec.run(message('1'))
  expect(await exec.close(patience)).toMatchObject({ succeeded: 1 })
  const shown = news.all.flatMap(said => (said.kind === 'output' ? said.line : []))
  expect(shown.join('').length).toBeGreaterThan(64_000)
  expect(shown.join('').length).toBeLessThanOrEqual(64 * 1024)
  expect(news.all.filter(({ kind }) => kind === 'output-cut')).toEqual([
    { kind: 'output-cut', callId: 'CC-1', messageId: '1', bytes: 64 * 1024 },
  ])
})

test('a program that reads nothing is not a failure, however long its message', async () => {
  const { exec, news } = await start('process.stdin.destroy()')
  exec.run(message('1', 'CC-1', 'x'.repeat(1_000_000)))
  expect(await exec.close(patience)).toMatchObject({ succeeded: 1, failed: 0 })
  expect(news.all).toEqual([])
})

test.each([
  ['process.stderr.write("no such table\\n"); process.exit(3)', 'exit code 3', 'no such table'],
  ['process.kill(process.pid, "SIGKILL")', 'exit code 137 (SIGKILL)', expect.any(String)],
])(
  'a failure is reported with its message and the beginning of stderr: %s',
  async (script, reason, stderr) => {
    const { exec, news } = await start(script)
    exec.run(message('7', 'CC-9'))
    expect(await news.told('exec-failed')).toEqual({
      kind: 'exec-failed',
      callId: 'CC-9',
      messageId: '7',
      reason,
      stderr,
    })
    expect(await exec.close(patience)).toMatchObject({ succeeded: 0, failed: 1 })
  },
)

test.each([
  ['exit code 127 (command not found)', rm],
  ['exit code 126 (the command cannot be executed)', (file: string) => chmod(file, 0o600)],
])('a program that cannot run when a message comes: %s', async (reason, spoil) => {
  const { exec, news, folder } = await start('', { command: './take.mjs' })
  await spoil(join(folder, 'take.mjs'))
  exec.run(message('1'))
  expect(await news.told('exec-failed')).toMatchObject({
    reason,
    stderr: expect.stringContaining('./take.mjs'),
  })
  expect(await exec.close(patience)).toMatchObject({ failed: 1 })
})

test('reports a shell that cannot be started', async () => {
  const { exec, news, folder } = await start('')
  await rm(folder, { recursive: true })
  exec.run(message('1'))
  expect(await news.told('exec-failed')).toMatchObject({
    reason: expect.stringMatching(/^could not be started: /),
  })
})

test.each(['inherit', 'ignore'])(
  'ends processes that take too long, with descendants that ignore it; their stderr: %s',
  async stderr => {
    const script = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"
const child = spawn(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', '${stderr}'] })
await once(child.stdout, 'data')
child.stdout.destroy()
console.log(process.pid, child.pid)
setInterval(() => {}, 1000)
`
    const clock = manualClock()
    const { exec, news } = await start(script, { clock, timeout: 5000 })
    exec.run(message('1'))
    const { line } = await news.told('output')
    const pids = line.split(' ').map(Number)
    await clock.advance(4999)
    expect(pids.map(isAlive)).toEqual([true, true])
    await clock.advance(1)
    // From here on it is SIGTERM's time, then SIGKILL's.
    await clock.advance(2000)
    expect(await news.told('exec-failed')).toMatchObject({ reason: 'no end within 5 s' })
    await Promise.all(pids.map(gone))
  },
)

test('programs get what every program needs and the named variables, and no secret', async () => {
  const script = 'console.log(Object.keys(process.env).sort().join())'
  const passed = {
    ...{ CALLYARD_PROFILE: 'desk', LC_ALL: 'C', SSL_CERT_FILE: '/ca.pem' },
    ...{ XDG_RUNTIME_DIR: '/run/user/1', https_proxy: 'http://127.0.0.1:9' },
  }
  const env = {
    ...{ ...passed, PATH: process.env.PATH, DATABASE_URL: 'secret' },
    ...{
      NATS_PASSWORD: 'secret',
      GITHUB_TOKEN: 'secret',
      CALLYARD_API_KEY: 'secret',
      callyard_api_key: 'secret',
    },
    ...{ CALLYARD_LLM_API_KEY: 'secret', CALLYARD_SANDBOX_TOKEN: 'secret', MY_PATH: 'secret' },
  }
  const { exec, news } = await start(script, { env: createProgramEnvironment(env, ['DATABASE_URL']) })
  exec.run(message('1'))
  const names = ['DATABASE_URL', 'PATH', ...Object.keys(passed)]
  // The shell adds its folder.
  const line = {
    line: expect.stringMatching(new RegExp(`^${names.sort().join(',').replace('PATH', 'PATH(?:,PWD)?')}$`)),
  }
  expect(await news.told('output')).toMatchObject(line)
})

test('close ends what still runs at its deadline and lists what was not run', async () => {
  const script = 'console.log(process.pid); setInterval(() => {}, 1000)'
  const clock = manualClock()
  const { exec, news } = await start(script, { clock })
  for (const id of ['1', '2', '3']) exec.run(message(id))
  const { line } = await news.told('output')
  const closed = exec.close(10_000)
  await clock.advance(9999)
  expect(isAlive(Number(line))).toBe(true)
  await clock.advance(1)
  expect(await closed).toEqual({ succeeded: 0, failed: 0, ended: 1, notRun: 2 })
  expect(isAlive(Number(line))).toBe(false)
})

test('does not run programs beyond ten thousand messages', async () => {
  const { exec, news } = await start('setInterval(() => {}, 1000)')
  for (let id = 1; id <= 10_003; id++) exec.run(message(String(id)))
  expect(news.all).toEqual([{ kind: 'behind', waiting: 10_000 }])
  expect(exec.left).toBe(10_000)
  expect(await exec.close(0)).toMatchObject({ ended: 1, notRun: 10_002 })
})

test('once behind, handles no other message until half are done, and reports each gap', async () => {
  const script = `
import { existsSync, watch } from 'node:fs'
import { text } from 'node:stream/consumers'
const { messageId } = JSON.parse(await text(process.stdin))
const mayEnd = () => existsSync('go-' + messageId) && process.exit()
watch('.', mayEnd)
mayEnd()
console.log(messageId)
`
  const { exec, news, folder } = await start(script)
  const take = (...ids: string[]) => {
    for (const id of ids) exec.run(message(id, 'CC-1', 'x'.repeat(3 * 1024 ** 2)))
  }
  const end = async (...ids: string[]) => {
    for (const id of ids) await writeFile(join(folder, `go-${id}`), '')
  }
  const began = () => news.all.flatMap(said => (said.kind === 'output' ? said.line : []))
  const behind = () => news.all.filter(({ kind }) => kind === 'behind')
  take('1', '2', '3', 'beyond', 'beyond')
  expect(behind()).toEqual([{ kind: 'behind', waiting: 3 }])
  await news.told('output')
  await end('1')
  await news.told('output', 2)
  take('beyond')
  await end('2')
  await news.told('output', 3)
  take('4', '5', 'beyond')
  expect(behind()).toHaveLength(2)
  await end('3', '4', '5')
  expect(await exec.close(patience)).toEqual({ succeeded: 5, failed: 0, ended: 0, notRun: 4 })
  expect(began()).not.toContain('beyond')
})

/** A shell that ends at once and leaves a child behind, which holds its output. */
async function startLeaving(options: Partial<ExecOptions> = {}) {
  const clock = manualClock()
  const started = await start('', { command: 'sleep 1000 & echo $$ $!', clock, ...options })
  started.exec.run(message('1'))
  const { line } = await started.news.told('output')
  const [shell = 0, child = 0] = line.split(' ').map(Number)
  onTestFinished(() => void process.kill(child, 'SIGKILL'))
  await reaped(shell)
  return { ...started, clock, child }
}

test('a program has ended when it exits, and its remaining processes are kept', async () => {
  const { exec, news, clock, child } = await startLeaving({ timeout: 700 })
  await clock.advance(999)
  expect(exec.left).toBe(1)
  await clock.advance(1)
  expect(await exec.close(patience)).toEqual({ succeeded: 1, failed: 0, ended: 0, notRun: 0 })
  expect(news.all.map(({ kind }) => kind)).toEqual(['output'])
  expect(isAlive(child)).toBe(true)
})

test('a program that ended before the close was not ended by it', async () => {
  const { exec, clock, child } = await startLeaving()
  const closed = exec.close(0)
  await clock.advance(1000)
  expect(await closed).toEqual({ succeeded: 1, failed: 0, ended: 0, notRun: 0 })
  expect(isAlive(child)).toBe(true)
})
