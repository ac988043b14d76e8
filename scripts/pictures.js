// Makes the pictures of the README from real runs of the built command, for `npm run pictures`: a session on a terminal as
// SVG, and the page of `webhook tail --ui` as PNG.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pty from '@lydell/node-pty'
import { chromium } from 'playwright-core'
import { root } from './run-bundled.js'
import { toSvg } from './terminal-svg.js'

const bin = join(root, 'bin/callwright.js')
const images = join(root, 'docs/images')
const folder = await mkdtemp(join(tmpdir(), 'callwright-pictures-'))
const env = { PATH: process.env.PATH, HOME: folder, CALLWRIGHT_CONFIG_DIR: join(folder, 'config'), TZ: 'UTC' }
const running = []

try {
  await mkdir(images, { recursive: true })
  await terminalPicture()
  await pagePicture()
} finally {
  for (const child of running) child.kill()
  await rm(folder, { recursive: true, force: true })
}

/** plan, apply and a call, as they look on a terminal of 80 columns. */
async function terminalPicture() {
  await run('init', 'desk')
  // A fixed port and seed, so that the picture changes only with what callwright prints.
  await start(
    'sandbox',
    'start',
    '--port',
    '4010',
    '--pace',
    '0',
    '--memory',
    '--seed',
    '1',
    '--save-profile',
    'sandbox',
  )
  const call = `call start --from +12025550100 --to +12025550123 \\
    --assistant front-desk --var name=Ada --follow \\
    --metadata caller='["When are you open?", "Goodbye"]'`
  let session = ''
  for (const typed of ['plan', 'apply --yes', call]) {
    session += `\x1b[32m$\x1b[39m \x1b[1mcallwright ${typed}\x1b[22m\n${await onTerminal(typed)}`
  }
  await writeFile(
    join(images, 'terminal.svg'),
    toSvg(session.trimEnd(), 'callwright plans, applies and calls'),
  )
}

/** What a command prints on stdout. Its progress bar is left out: that is on stderr. */
function onTerminal(typed) {
  const terminal = pty.spawn('sh', ['-c', `exec '${process.execPath}' '${bin}' ${typed} 2> /dev/null`], {
    cols: 80,
    rows: 24,
    cwd: join(folder, 'desk'),
    env: { ...env, TERM: 'xterm-256color' },
  })
  return new Promise((resolve, reject) => {
    let printed = ''
    terminal.onData(data => {
      printed += data
    })
    terminal.onExit(({ exitCode }) => {
      if (exitCode === 0) resolve(`${printed.replaceAll('\r\n', '\n').trimEnd()}\n\n`)
      else reject(new Error(`callwright ${typed} ended with exit code ${exitCode}:\n${printed}`))
    })
  })
}

/** A live call and a finished one. */
async function pagePicture() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath))
    throw new Error(`there is no ${executablePath}: set CHROMIUM to the path of a Chromium`)
  const tail = await start('webhook', 'tail', '--ui', '--port', '0', '--json')
  const calls = [
    ['CC-51fa429b', ['--messages', '4']],
    [
      'CC-7d3f2c1e',
      ['--messages', '6', '--set', 'customer.name=Grace', '--set', 'call.userNumber=+12025550142'],
    ],
  ]
  for (const [id, flags] of calls)
    await run('webhook', 'trigger', 'call', '--to', tail.url, '--call', id, ...flags)
  const live = [
    '--call',
    'CC-19c887f5',
    '--status',
    'ongoing',
    '--set',
    'customer.name=Alan',
    '--to',
    tail.url,
  ]
  await run('webhook', 'trigger', 'status-update', ...live)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1080, height: 560 } })
    await page.goto(tail.page)
    await page.getByRole('option', { name: /^Grace/ }).click()
    await page.getByRole('region', { name: 'Analysis' }).waitFor()
    await page.screenshot({ path: join(images, 'page.png'), animations: 'disabled' })
  } finally {
    await browser.close()
  }
}

function run(...argv) {
  return promisify(execFile)(process.execPath, [bin, ...argv], { cwd: folder, env })
}

/** Starts a command that runs on; resolves with its URLs once it listens. */
async function start(...argv) {
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const found = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const event = line.startsWith('{') ? JSON.parse(line) : { kind: 'ready', url: line.trim() }
    if (event.kind === 'ready' && event.url.startsWith('http')) found.url = event.url
    if (event.kind === 'ui') found.page = event.url
    if (found.url !== undefined && (found.page !== undefined || !argv.includes('--ui'))) break
  }
  if (found.url === undefined) throw new Error(`callwright ${argv.join(' ')} did not start`)
  child.stdout.resume()
  return found
}
