import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from '../helpers/alive.ts'
import { conversationUpdate, message } from '../helpers/events.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { jsonLines, lines } from '../helpers/json-lines.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { runBin, startBin, startBuiltSandbox, startBuiltTail, startStream } from '../helpers/run-bin.ts'
import { tunnelCommand, tunnelUrlFlags } from '../helpers/tunnel-command.ts'

/** Everything that a terminal could act upon. */
const hostile = `\u001b[2J\u001b]52;c;aGk=\u0007\u009b31m\u202eevil\u2066\u007f\u0000\ud800`

test('runs a program for each new message, and exits with 8 if it fails', async () => {
  const folder = await temporaryFolder()
  await writeFile(
    join(folder, 'log.mjs'),
    `import { appendFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
const { text, role } = await json(process.stdin)
appendFileSync('said.txt', role + ': ' + text + '\\n')
if (text.startsWith('Yes')) process.exit(3)
`,
  )
  const tail = await startTail(folder, '--exec', `${process.execPath} log.mjs`, '--role', 'user')
  const sent = await runBin(['webhook', 'trigger', 'call', '--to', tail.url, '--messages', '6'])
  expect(sent.exitCode).toBe(0)
  tail.child.kill('SIGTERM')
  const { exitCode, stderr } = await tail.child
  expect(exitCode).toBe(8)
  expect(stderr).toContain('exit code 3')
  expect((await readFile(join(folder, 'said.txt'), 'utf8')).trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^user: Hi, my rear brake rubs/),
    'user: Yes, please.',
    expect.stringMatching(/^user: /),
  ])
})

test('gives a program only the variables that --exec-env names, before or after the command', async () => {
  const folder = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config'), ONE: '1', TWO: '2', THREE: '3' }
  const exec = ['--exec', 'echo "$ONE$TWO$THREE." > said.txt', '--exec-env', 'THREE']
  const tail = startStream(['--exec-env=ONE', 'webhook', 'tail', '--port', '0', '--json', ...exec], {
    ...{ cwd: folder, env },
  })
  const { url } = await tail.next('ready')
  await post(String(url), conversationUpdate('c1', message('m1', 'Hello')).message)
  await expect.poll(() => readFile(join(folder, 'said.txt'), 'utf8').catch(() => '')).toBe('13.\n')
})

test('serves the page of --ui from the bundle with its policy, only at its secret path', async () => {
  const folder = await temporaryFolder()
  const tail = await startTail(folder, '--ui')
  const { url } = await tail.next('ui')
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const code = await (await fetch(new URL(script, url))).text()
  expect(code.length).toBeGreaterThan(5000)
  expect((await fetch(new URL('/ui-guess/', url))).status).toBe(404)
})

test('follows a call through a tunnel, which ends with the call', async () => {
  const folder = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config') }
  await writeFile(join(folder, 'desk.yaml'), 'name: Desk\nwelcomeMessage: Hello through the tunnel.\n')
  const sandbox = await startBuiltSandbox(['--in-memory'], { cwd: folder, env })
  const call = [
    'call',
    'start',
    '--yes',
    '--from',
    '+12025550100',
    '--to',
    '+12025550123',
    '--assistant',
    'desk.yaml',
  ]
  const tunnel = tunnelCommand('--print', 'pid {pid} open at {origin}/')
  const followed = await runBin(
    [
      ...call,
      '--metadata',
      'caller=["/hangup"]',
      '--follow',
      '--tunnel',
      tunnel,
      '--tunnel-url',
      'at (\\S+)',
      '--json',
    ],
    { cwd: folder, env: { ...env, ...sandbox.env } },
  )
  expect(followed).toMatchObject({ exitCode: 0 })
  const events = jsonLines(followed.stdout)
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['public-url', 'placed', 'status', 'message', 'summary']),
  )
  expect(events[0].url).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/[0-9a-f-]{36}$/)
  expect(followed.stdout).toContain('Hello through the tunnel.')
})

test('the tunnel program ends with its tail', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'pid')
  const tunnel = `sh -c 'echo $$ > ${file}; exec ${tunnelCommand('--ignore-term')}'`
  const tail = await startTail(folder, '--tunnel', tunnel, ...tunnelUrlFlags)
  expect(await tail.next('public-url')).toMatchObject({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.2:\d+\/[0-9a-f-]{36}$/),
  })
  const pid = Number(await readFile(file, 'utf8'))
  expect(isAlive(pid)).toBe(true)
  tail.child.kill('SIGINT')
  expect((await tail.child).exitCode).toBe(0)
  expect(isAlive(pid)).toBe(false)
})

test('no text of an event or a response controls the terminal', async () => {
  const folder = await temporaryFolder()
  const { origin } = await listenOnLoopback(
    createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(500).end(hostile))
    }),
  )
  const child = startBin(
    ['webhook', 'tail', '--port', '0', '--until', 'finished', '--forward', `${origin}/`],
    {
      cwd: folder,
      env: { CALLYARD_CONFIG_DIR: join(folder, 'config') },
    },
  )
  let url = ''
  for await (const line of lines(child.stderr)) {
    url = /http:\/\/[^ ]+/.exec(line)?.[0] ?? ''
    if (url !== '') break
  }
  const message = { messageId: hostile, role: hostile, text: hostile, timestamp: hostile }
  await post(url, { type: hostile, call: { id: `a${hostile}` } })
  await post(url, { type: 'conversation-update', call: { id: hostile }, messages: [message, hostile] })
  await post(url, {
    type: 'status-update',
    call: { id: hostile, status: 'finished', phoneCallStatus: hostile, callEndTriggerBy: hostile },
    analysis: { summary: hostile, [hostile]: { [hostile]: hostile } },
  })
  const { stdout, stderr, exitCode } = await child
  expect(exitCode).toBe(8)
  expect(stdout).toContain('\\x1b[2J')
  expect(stderr).toContain('responded 500: \\x1b[2J')
  expect(stdout + stderr).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
  )
})

function startTail(folder: string, ...flags: string[]) {
  return startBuiltTail(flags, { cwd: folder, env: { CALLYARD_CONFIG_DIR: join(folder, 'config') } })
}

async function post(url: string, message: object): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ message }) })
  expect(answer.status).toBe(200)
}
