import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { gone, isAlive } from '../helpers/alive.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder, writeFiles } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { starterFiles } from '../helpers/resources.ts'
import { bin, runBin, startBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

/** Settings of its own, and services elsewhere that the program must not reach. */
async function place() {
  const folder = await temporaryFolder()
  const env = {
    CALLYARD_CONFIG_DIR: join(folder, 'config'),
    CALLYARD_PROFILE: 'production',
    CALLYARD_BASE_URL: 'https://api.example.com',
    CALLYARD_API_KEY: 'key-of-production',
  }
  return { cwd: folder, env }
}

const exec = (...words: string[]) => ['sandbox', 'exec', '--pace', '0', ...words]
const node = (script: string, ...args: string[]) => ['--', process.execPath, '-e', script, ...args]

/** The id that a program writes into a file, with a line end. */
async function pidIn(file: string): Promise<number> {
  while (true) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.endsWith('\n')) return Number(text)
    await delay(5)
  }
}

/** A shell with a child that ignores Ctrl-C, as a job of a script does; their ids in files. */
const family = `
sh -c 'echo $$ >job; exec sleep 1000' &
echo $$ >shell
`
const members = ['shell', 'job'] as const

test('the program uses the sandbox instead of the service in the environment, and callyard exits with its code', async () => {
  const at = await place()
  const script = `
    const { CALLYARD_BASE_URL, CALLYARD_API_KEY, CALLYARD_PROFILE } = process.env
    fetch(CALLYARD_BASE_URL + '/assistants/v1/tools', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + CALLYARD_API_KEY, 'content-type': 'application/json' },
      body: '{"type":"function"}',
    }).then(async answer => {
      console.log(JSON.stringify({ status: answer.status, tool: await answer.json(), CALLYARD_PROFILE }))
      process.exitCode = 7
    })`
  const { exitCode, stdout, stderr } = await runBin(exec(...node(script)), at)
  expect(exitCode).toBe(7)
  expect(JSON.parse(stdout)).toEqual({ status: 200, tool: expect.objectContaining({ type: 'function' }) })
  expect(stderr).toMatch(/^The sandbox of \S+ is running at http:\/\/127\.0\.0\.1:\d+\.$/)
})

test('callyard works inside without a profile', async () => {
  const at = await place()
  await writeFile(join(at.cwd, 'tool.yaml'), 'type: function\nfunction: { name: book }\n')
  const inner = ['--', process.execPath, bin, 'tool', 'create', 'tool.yaml', '--json']
  const { exitCode, stdout } = await runBin(exec('--quiet', ...inner), at)
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ type: 'function', function: { name: 'book' } })
})

test('creates the resources of --project before the program starts, and writes no lockfile', async () => {
  const at = await place()
  await writeFiles(join(at.cwd, 'desk'), starterFiles())
  const script = `
    const { CALLYARD_BASE_URL, CALLYARD_API_KEY } = process.env
    fetch(CALLYARD_BASE_URL + '/calls/v1/conversations/connect', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + CALLYARD_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        direction: 'outbound', phoneNumberId: 'p1', customer: { number: '+12025550123' },
      }),
    }).then(async answer => console.log((await answer.json()).assistantId))`
  const { stdout, stderr, exitCode } = await runBin(exec('--project', 'desk', ...node(script)), {
    ...at,
    env: { ...at.env, WEBHOOK_URL: 'http://127.0.0.1:9/' },
  })
  expect(stderr).toMatch(/ with 1 assistant, 1 tool, 5 FAQ entries\.$/m)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^\S+$/)
  expect(stdout).not.toBe('undefined')
  await expect(readFile(join(at.cwd, 'desk', 'callyard.lock.yaml'))).rejects.toThrow('ENOENT')
})

test('passes arguments after --, stdin and stdout to the program unchanged', async () => {
  const at = await place()
  const args = ['--json', 'a b', '', '"q"', '$HOME', '-h', '--', 'ümlaut', '*', '--seed', 'x']
  const script = `process.stdin.pipe(process.stdout); console.log(JSON.stringify(process.argv.slice(1)))`
  const given = { ...at, input: 'typed\n' }
  const { exitCode, stdout } = await runBin(exec(...node(script, '--', ...args)), given)
  expect(exitCode).toBe(0)
  const [printed = '', typed] = stdout.split('\n')
  expect(JSON.parse(printed)).toEqual(args)
  expect(typed).toBe('typed')
})

test('adds nothing to ten megabytes of stdout', async () => {
  const at = await place()
  const child = startBin(exec('--json', ...node("process.stdout.write('x'.repeat(10 * 1024 ** 2))")), at)
  const { stdout, exitCode } = await child
  expect(exitCode).toBe(0)
  // A pattern, or the difference of two such texts, takes more than the stack.
  expect(stdout === 'x'.repeat(10 * 1024 ** 2)).toBe(true)
})

const deaths = [
  ['SIGKILL', 137],
  ['SIGSEGV', 139],
] as const

test.each(everyCase ? deaths : deaths.slice(0, 1))(
  'a program that is ended by %s exits with %i',
  async (signal, code) => {
    const script = `process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`
    expect(await runBin(exec(...node(script)), await place())).toMatchObject({ exitCode: code, stdout: '' })
  },
)

test('reports a missing program and starts no sandbox', async () => {
  const at = await place()
  const { exitCode, stdout, stderr } = await runBin(exec('--json', '--', 'no-such-program', '--json'), at)
  expect(exitCode).toBe(127)
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: 'not-started', exitCode: 127 } })
  expect(stderr).toContain('no-such-program')
  const unnamed = await runBin(exec('--', ''), at)
  expect(unnamed).toMatchObject({ exitCode: 127, stdout: '' })
  expect(unnamed.stderr).toContain('the command is empty')
  const later = await runBin(exec('--', 'no-such-program', '--json'), at)
  expect(later).toMatchObject({ exitCode: 127, stdout: '' })
})

test('reports a script whose interpreter is missing', async () => {
  const at = await place()
  await writeFile(join(at.cwd, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 })
  const { exitCode, stderr } = await runBin(exec('--', './script'), at)
  expect(exitCode).toBe(127)
  expect(stderr).toContain('the command ./script cannot be started')
})

test('ends the processes that the program left running', async () => {
  const at = await place()
  const { exitCode } = await runBin(
    exec('--', 'sh', '-c', `${family} while [ ! -s job ]; do sleep 0.01; done; exit 4`),
    at,
  )
  expect(exitCode).toBe(4)
  for (const name of members) expect(isAlive(await pidIn(join(at.cwd, name)))).toBe(false)
})

const signals = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const
// At a terminal, Ctrl-C and closing it are tested below.
const someSignals = everyCase ? signals : signals.slice(0, 1)

test.each(someSignals)('%s to callyard ends the program and its processes', async (signal, code) => {
  const at = await place()
  const child = startBin(exec('--', 'sh', '-c', `${family} while :; do sleep 0.01; done`), at)
  const pids = await Promise.all(members.map(name => pidIn(join(at.cwd, name))))
  child.kill(signal)
  expect((await child).exitCode).toBe(code)
  for (const pid of pids) await gone(pid)
})

test('a program may handle a signal with its own exit code', async () => {
  const script = `process.on('SIGTERM', () => process.exit(9)); console.log('ready'); setInterval(() => {}, 1000)`
  const child = startBin(exec(...node(script)), await place())
  expect((await lines(child.stdout).next()).value).toBe('ready')
  child.kill('SIGTERM')
  expect((await child).exitCode).toBe(9)
})

test('writes a snapshot if the program fails too, and reports a failed write unless the program failed', async () => {
  const at = await place()
  const kept = ['--snapshot-on-exit', 'kept/end.json', '--', 'sh', '-c']
  await mkdir(join(at.cwd, 'kept'))
  expect(await runBin(exec(...kept, 'exit 3'), at)).toMatchObject({ exitCode: 3 })
  const written = await readFile(join(at.cwd, 'kept/end.json'), 'utf8')
  expect(JSON.parse(written)).toMatchObject({ format: 'callyard-sandbox', entries: [] })
  const lost = await runBin(exec('--json', ...kept, 'rm -r kept; echo mine'), at)
  expect(lost).toMatchObject({ exitCode: 2, stdout: 'mine' })
  expect(lost.stderr).toContain('cannot write kept/end.json')
  await mkdir(join(at.cwd, 'kept'))
  expect(await runBin(exec(...kept, 'rm -r kept; exit 3'), at)).toMatchObject({ exitCode: 3 })
})

test.each(someSignals.map(([signal]) => signal))(
  'sandbox start writes its snapshot after %s',
  async signal => {
    const at = await place()
    const child = startBin(
      ['sandbox', 'start', '--in-memory', '--port', '0', '--snapshot-on-exit', 'end.json', '--json'],
      at,
    )
    expect((await lines(child.stdout).next()).value).toContain('ready')
    child.kill(signal)
    expect((await child).exitCode).toBe(0)
    expect(JSON.parse(await readFile(join(at.cwd, 'end.json'), 'utf8'))).toMatchObject({ entries: [] })
  },
)

test('after a kill -9 of callyard, the program keeps running without a service', async () => {
  const at = await place()
  const script = `
    require('fs').writeFileSync('pid', process.pid + '\\n')
    const ask = () => fetch(process.env.CALLYARD_BASE_URL).then(
      () => setTimeout(ask, 5),
      error => require('fs').writeFileSync('found', error.cause.code),
    )
    ask()
    setInterval(() => {}, 1000)`
  const child = startBin(exec(...node(script)), at)
  const pid = await pidIn(join(at.cwd, 'pid'))
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  child.kill('SIGKILL')
  await gone(child.pid ?? 0)
  let found = ''
  while (found === '') found = await readFile(join(at.cwd, 'found'), 'utf8').catch(() => '')
  expect(found).toMatch(/^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/)
  expect(isAlive(pid)).toBe(true)
})

test('the program owns the terminal: keys, colors and any number of Ctrl-C', async () => {
  const at = await place()
  const script = `
    const { stdin, stdout, stderr } = process
    require('fs').openSync('/dev/tty', 'r+')
    let interrupts = 0
    process.on('SIGINT', () => console.log('interrupt ' + ++interrupts))
    stdin.on('data', line => {
      console.log('read', String(line).trim())
      if (String(line).trim() === 'bye') process.exit(5)
    })
    console.log('terminal ' + [stdin.isTTY, stdout.isTTY, stderr.isTTY, stdout.columns, stdout.hasColors()])`
  const terminal = startInTerminal(exec(...node(script)), at)
  await terminal.shows(/terminal true,true,true,80,true/)
  for (const count of [1, 2, 3]) {
    terminal.type('\u0003')
    await terminal.shows(new RegExp(`interrupt ${count}`))
  }
  terminal.type('hello\n')
  await terminal.shows(/read hello/)
  terminal.type('bye\n')
  expect(await terminal.exitCode).toBe(5)
})

test('a signal reaches the program once, even after callyard wrote a file', async () => {
  const at = await place()
  await writeFiles(join(at.cwd, 'desk'), starterFiles())
  // Two equal signals in a row may reach a process as one: those that are sent are counted.
  const spy = `const { kill } = process
    process.kill = (pid, signal) => {
      if (signal !== 0) require('fs').appendFileSync('sent', signal + ' to ' + (pid === process.pid ? 'itself' : pid < 0 ? 'the job' : 'the program') + '\\n')
      return kill.call(process, pid, signal)
    }`
  await writeFile(join(at.cwd, 'spy.cjs'), spy)
  const script = `
    process.on('SIGTERM', () => console.log('got SIGTERM'))
    process.on('SIGINT', () => console.log('got SIGINT'))
    process.stdin.on('data', () => process.exit(5))
    console.log('ready')`
  const terminal = startInTerminal(exec('--project', 'desk', ...node(script)), {
    ...at,
    env: { ...at.env, WEBHOOK_URL: 'https://hooks.example.com/', NODE_OPTIONS: '--require ./spy.cjs' },
  })
  // The agreement is written before the program starts.
  await terminal.shows(/Allow this/)
  terminal.type('y\r')
  await terminal.shows(/ready/)
  terminal.type('\u0003')
  await terminal.shows(/got SIGINT/)
  terminal.kill('SIGTERM')
  await terminal.shows(/got SIGTERM/)
  terminal.type('bye\n')
  expect(await terminal.exitCode).toBe(5)
  expect(await readFile(join(at.cwd, 'sent'), 'utf8')).toBe('SIGTERM to the program\nSIGTERM to the job\n')
})

test('a shell inside has job control and returns the terminal', async () => {
  const at = await place()
  const terminal = startInTerminal(exec('--quiet', '--', 'bash', '--norc', '--noprofile', '-i'), at)
  const script =
    'process.on("SIGCONT", () => console.log("continued")); setInterval(() => {}, 1000); console.log("begun")'
  // The prompt of root, or of any other user.
  await terminal.shows(/[#$] $/)
  terminal.type(`${process.execPath} -e '${script}'\n`)
  await terminal.shows(/[\r\n]begun/)
  terminal.type('\u001a')
  await terminal.shows(/Stopped[\s\S]*[#$] $/)
  terminal.type('echo "stopped $?"; fg\n')
  await terminal.shows(/[\r\n]stopped 148[\s\S]*\ncontinued/)
  terminal.type('\u0003')
  await terminal.shows(/\^C[\s\S]*[#$] $/)
  terminal.type('echo "ended $?"\n')
  await terminal.shows(/[\r\n]ended 130/)
  terminal.type('exit 6\n')
  expect(await terminal.exitCode).toBe(6)
})

test('Ctrl-C ends a program without a handler, and its processes', async () => {
  const at = await place()
  const terminal = startInTerminal(exec('--', 'sh', '-c', `${family} echo started; wait`), at)
  await terminal.shows(/started/)
  const pids = await Promise.all(members.map(name => pidIn(join(at.cwd, name))))
  terminal.type('\u0003')
  expect(await terminal.exitCode).toBe(130)
  for (const pid of pids) await gone(pid)
})

test('closing the terminal ends the program', async () => {
  const at = await place()
  const terminal = startInTerminal(exec('--', 'sh', '-c', `${family} echo started; wait`), at)
  await terminal.shows(/started/)
  const pids = await Promise.all(members.map(name => pidIn(join(at.cwd, name))))
  terminal.close()
  for (const pid of pids) await gone(pid)
  await gone(terminal.pid)
})
