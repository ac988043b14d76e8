import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { connectMcp } from '../helpers/mcp-client.ts'
import { passphrase, saveProtectedProfile } from '../helpers/protected-profile.ts'
import { bin, runBin } from '../helpers/run-bin.ts'
import { startInTerminal, type TerminalProcess } from '../helpers/terminal.ts'

const call = { action: 'call', from: '+12025550100', to: '+12025550123' } as const
const start = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--yes']

interface Settings {
  readonly baseUrl: string
  readonly cwd: string
  readonly env: { readonly CALLYARD_CONFIG_DIR: string }
}

/** Saves a profile and protects it, as a person does. */
async function protectInTerminal({ baseUrl, cwd, env }: Settings) {
  const add = ['profile', 'add', 'work', '--base-url', baseUrl, '--api-key-stdin']
  expect(await runBin(add, { env, input: 'secret-key' })).toMatchObject({ exitCode: 0 })
  const protect = startInTerminal(['profile', 'protect', 'work', '--require-approval'], { cwd, env })
  await protect.shows(/New passphrase \(/)
  protect.type(`${passphrase}\r`)
  await protect.shows(/New passphrase again/)
  protect.type(`${passphrase}\r`)
  expect(await protect.exitCode).toBe(0)
  const settings = await readFile(join(env.CALLYARD_CONFIG_DIR, 'config.json'), 'utf8')
  expect(settings).not.toContain('secret-key')
}

const saveProtected = ({ baseUrl, env }: Settings) => saveProtectedProfile(env, { baseUrl })

/** A service that is not a sandbox, whose profile requires approval, and an agent that asked for a call. */
async function agentAtService(protect: (settings: Settings) => Promise<void> = saveProtected) {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  await mkdir(join(cwd, 'assistants'), { recursive: true })
  await writeFile(join(cwd, 'callyard.yaml'), '{}\n')
  await writeFile(join(cwd, 'assistants/desk.yaml'), 'name: Desk\n')
  const changes: string[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.writeHead(404).end()
    changes.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"sid":"CC-1","_id":"a1"}')
  })
  const { origin } = await listenOnLoopback(server)
  const config = join(folder, 'config')
  const env = { CALLYARD_CONFIG_DIR: config }
  await protect({ baseUrl: origin, cwd, env })
  const mcp = await connectMcp(['--allow', 'apply,call,batch'], { cwd, env })
  const prepare = async (input: Readonly<Record<string, unknown>>) => {
    const { text } = await mcp.call('prepare', input)
    return /^Prepared (\w{4})\./.exec(text)?.[1] ?? text
  }
  return { cwd, config, env, origin, changes, mcp, prepare }
}

/** Confirms, and then enters the passphrase. */
async function confirm({ type, shows }: TerminalProcess, typed = passphrase) {
  type('y\r')
  await shows(/Passphrase for profile work/)
  type(`${typed}\r`)
}

test('a person approves a call in a terminal, and the agent gets its outcome', async () => {
  const { cwd, env, origin, changes, mcp, prepare } = await agentAtService(protectInTerminal)
  const code = await prepare(call)
  const waiting = mcp.call('execute', { code, waitSeconds: 50 })
  const terminal = startInTerminal(['approve', code], { cwd, env })
  await terminal.shows(/Place this call\?/)
  for (const shown of [origin, '+12025550123', 'up to 1', code]) expect(terminal.screen).toContain(shown)
  expect(changes).toEqual([])
  await confirm(terminal)
  expect(await terminal.exitCode).toBe(0)
  expect(changes).toHaveLength(1)
  expect((await waiting).text).toContain('CC-1')
})

test('of two people who approve at once, one places the call', async () => {
  const { cwd, env, changes, prepare } = await agentAtService()
  const code = await prepare(call)
  const terminals = [1, 2].map(() => startInTerminal(['approve', code], { cwd, env }))
  await Promise.all(terminals.map(({ shows }) => shows(/Place this call\?/)))
  await Promise.all(terminals.map(terminal => confirm(terminal)))
  const codes = await Promise.all(terminals.map(({ exitCode }) => exitCode))
  expect(codes.sort()).toEqual([0, 9])
  expect(changes).toHaveLength(1)
})

test('a person is asked at a terminal for a direct command; --yes has no effect', async () => {
  const { cwd, env, changes } = await agentAtService()
  const terminal = startInTerminal(start, { cwd, env })
  await terminal.shows(/requires approval/)
  await terminal.shows(/Passphrase for profile work/)
  terminal.type('\u0003')
  expect(await terminal.exitCode).toBe(130)
  expect(changes).toEqual([])
})

test('an agent with every tool, the files and a shell without a terminal changes nothing', async () => {
  const { cwd, config, env, origin, changes, mcp, prepare } = await agentAtService()
  const code = await prepare(call)
  const deployment = await prepare({ action: 'apply' })
  const attempts: [argv: readonly string[], extra?: Readonly<Record<string, string>>, input?: string][] = [
    [['approve', code]],
    [['approve', code], {}, 'y\n'],
    [['approve', code, '--json'], { CI: 'true' }],
    [
      ['approve', code],
      { CI: '0', FORCE_COLOR: '1', FORCE_TTY: '1', TERM: 'xterm', npm_config_yes: 'true' },
      'y\ny\n',
    ],
    [start],
    [start, { CALLYARD_API_KEY: 'secret-key', CALLYARD_BASE_URL: origin }],
    [start, { CALLYARD_API_KEY: 'secret-key', CALLYARD_BASE_URL: origin.replace('127.0.0.1', 'localhost') }],
    [['apply', '--yes']],
    [['api', 'POST', '/calls//v1/./conversations', '--body', '{}', '--yes']],
    [['profile', 'unprotect', 'work'], {}, `y\n${passphrase}\n`],
    [['profile', 'set-key', 'work', '--api-key-stdin'], {}, 'another-key'],
    [['profile', 'add', 'other', '--base-url', `${origin}/x/..`, '--api-key-stdin'], {}, 'secret-key'],
    [[...start, '--profile', 'other']],
  ]
  for (const [argv, extra = {}, input] of attempts)
    await runBin(argv, { cwd, env: { ...env, ...extra }, ...(input !== undefined && { input }) })
  // Writes to the settings.
  const file = join(config, 'config.json')
  const settings = JSON.parse(await readFile(file, 'utf8'))
  for (const profile of Object.values<Record<string, unknown>>(settings.profiles)) delete profile.approval
  await writeFile(file, JSON.stringify(settings))
  await runBin(start, { cwd, env })
  const approvals = join(config, 'approvals')
  for (const each of [code, deployment]) {
    await writeFile(join(approvals, `${each}.claim.json`), JSON.stringify({ pid: process.pid, host: 'x' }))
    await writeFile(join(approvals, `${each}.approved.json`), JSON.stringify({ decision: 'approved' }))
    await mcp.call('execute', { code: each, waitSeconds: 0 })
  }
  await writeFile(join(approvals, 'required.json'), '[]')
  await runBin(start, { cwd, env })
  for (const name of await readdir(approvals)) await writeFile(join(approvals, name), '{"services":"none"}')
  await runBin(start, { cwd, env })
  // Without any settings, there is no key either.
  const direct = [...start, '--base-url', origin]
  for (const elsewhere of ['CALLYARD_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME'])
    await runBin(direct, { cwd, env: { HOME: cwd, [elsewhere]: join(cwd, 'elsewhere') } })
  await rm(config, { recursive: true })
  await runBin(direct, { cwd, env })
  expect(changes).toEqual([])
})

test('an agent in a terminal of its own does not have the passphrase', async () => {
  const { cwd, config, env, changes, prepare } = await agentAtService()
  const code = await prepare(call)
  const approve = startInTerminal(['approve', code], { cwd, env })
  await approve.shows(/Place this call\?/)
  await confirm(approve, 'a guessed passphrase')
  await approve.shows(/wrong passphrase/)
  approve.type('\u0003')
  expect(await approve.exitCode).toBe(130)
  // Without the rules, the key stays encrypted.
  const file = join(config, 'config.json')
  const settings = JSON.parse(await readFile(file, 'utf8'))
  delete settings.profiles.work.approval
  await writeFile(file, JSON.stringify(settings))
  await rm(join(config, 'approvals'), { recursive: true })
  const direct = startInTerminal(start, { cwd, env })
  await direct.shows(/Passphrase for profile work/)
  direct.type('a guessed passphrase\r')
  await direct.shows(/wrong passphrase/)
  direct.type('\u0003')
  expect(await direct.exitCode).toBe(130)
  expect(changes).toEqual([])
})

test.runIf(existsSync('/usr/bin/setsid'))(
  'a process without a controlling terminal cannot approve through the terminal of somebody else',
  async () => {
    const { cwd, env, changes, prepare } = await agentAtService()
    const code = await prepare(call)
    // The terminal of the person, in which a program waits.
    const person = startInTerminal(['webhook', 'tail', '--port', '0'], { cwd, env })
    await person.shows(/listening|Listening|http:/)
    const tty = await readlink(`/proc/${person.pid}/fd/0`)
    const command = `exec ${process.execPath} ${bin} approve ${code} <${tty} >${tty} 2>${tty}`
    const agent = spawn('setsid', ['--wait', 'sh', '-c', command], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: 'ignore',
    })
    const [exitCode] = await once(agent, 'exit')
    expect(exitCode).toBe(2)
    expect(changes).toEqual([])
  },
)

test('a killed approval is not repeated', async () => {
  const { cwd, config, env, changes, mcp, prepare } = await agentAtService()
  const code = await prepare(call)
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  const claim = { pid: dead.pid, host: hostname() }
  await writeFile(join(config, 'approvals', `${code}.claim.json`), JSON.stringify(claim))
  const terminal = startInTerminal(['approve', code], { cwd, env })
  expect(await terminal.exitCode).toBe(9)
  expect((await mcp.call('execute', { code })).text).toContain('was interrupted')
  expect(changes).toEqual([])
})
