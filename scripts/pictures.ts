import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { spawn as spawnInTerminal } from '@lydell/node-pty'
import { chromium, type Locator, type Page } from 'playwright-core'
import { systemClock } from '../src/lib/clock.ts'
import { openBatchPage } from '../src/web/index.ts'
import { madeRecording } from '../test/calls/report/made-recording.ts'
import type { MadeCall } from '../test/calls/report/reference.ts'
import { batchStates, filledBatch, waitForPeople } from '../test/e2e/batch-states.ts'
import {
  colorSchemes,
  fillSandbox,
  fillTail,
  sandboxStates,
  startReceiver,
  tailStates,
  visitStates,
  widths,
} from '../test/e2e/page-states.ts'
import { toSvg } from './terminal-svg.ts'

/**
 * Writes docs/images/ from real runs of the built command: a session on a terminal as SVG, and the pages of
 * `webhook tail --ui` and `sandbox start --ui` as PNG. `root` is the folder of the repository.
 */
export async function makePictures(root: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-pictures-'))
  const callyard = commandIn(folder, join(root, 'bin/callyard.js'))
  const images = join(root, 'docs/images')
  try {
    await mkdir(images, { recursive: true })
    await writeFile(join(images, 'terminal.svg'), await terminalPicture(callyard))
    await writeFile(join(images, 'call.svg'), await callPicture(folder, root))
    await pagePicture(callyard, join(images, 'page'))
    await sandboxPicture(callyard, join(images, 'sandbox-page'))
    await reportPictures(callyard, images)
    console.log(`Every view and state: ${await contactSheet(callyard, root)}`)
  } finally {
    await callyard.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Pixels of CSS. */
const pictureWidth = 1080

const followedCall = `call start --from +12025550100 --to +12025550123 \\
    --assistant front-desk --var name=Ada --follow \\
    --metadata caller='["When are you open?", "Goodbye"]'`

/** A change of the starter project, from the test that fails to the call that says it, on a terminal of 80 columns. */
async function terminalPicture({ folder, run, start, onTerminal }: Callyard): Promise<string> {
  await run('init', 'desk')
  // A fixed port and seed, so that the picture changes only with what callyard prints.
  await start(
    'sandbox start --port 4010 --pace 0 --in-memory --seed 1 --save-profile sandbox --json'.split(' '),
  )
  await onTerminal('apply --yes')
  const file = 'knowledge-bases/workshop.yaml'
  const path = join(folder, 'desk', file)
  await writeFile(path, (await readFile(path, 'utf8')).replace('nine to six', 'nine to five'))
  const session = [prompt(`sed -i 's/nine to six/nine to five/' ${file}`)]
  for (const [typed, exitCode] of [
    ['test', 8],
    ['plan', 0],
    ['apply --yes', 0],
    [followedCall, 0],
  ] as const)
    session.push(`${prompt(`callyard ${typed}`)}\n${await onTerminal(typed, exitCode)}`)
  return toSvg(session.join('\n\n'), 'A changed answer is tested, planned, applied and heard in a call')
}

/** A call on a terminal, each line at the time at which it was printed. */
async function callPicture(folder: string, root: string): Promise<string> {
  const { run, start, onTerminal, end } = commandIn(
    await mkdtemp(join(folder, 'call-')),
    join(root, 'bin/callyard.js'),
  )
  try {
    await run('init', 'desk')
    await start(
      'sandbox start --port 0 --pace 1 --in-memory --seed 1 --save-profile sandbox --json'.split(' '),
    )
    await onTerminal('apply --yes')
    const printed: { readonly line: string; readonly at: number }[] = []
    await onTerminal(followedCall, 0, (line, at) => printed.push({ line, at }))
    const typed = prompt(`callyard ${followedCall}`).split('\n')
    const began = printed[0]?.at ?? 0
    return toSvg(
      [...typed, ...printed.map(({ line }) => line)].join('\n'),
      'A call is placed, and what is said appears as it is said',
      [...typed.map(() => 0), ...printed.map(({ at }) => 1 + (at - began) / 1000)],
    )
  } finally {
    await end()
  }
}

const prompt = (typed: string) => `\x1b[32m$\x1b[39m \x1b[1m${typed}\x1b[22m`

/** A live call and two finished ones. */
async function pagePicture({ run, start }: Callyard, path: string): Promise<void> {
  const { ready, ui } = await startTail(start)
  const trigger = (what: string, id: string, ...flags: string[]) =>
    run('webhook', 'trigger', what, '--to', ready, '--call', id, ...flags)
  const grace = ['--set', 'customer.name=Grace', '--set', 'call.userNumber=+12025550142']
  await trigger('call', 'CC-51fa429b', '--messages', '4')
  await trigger('call', 'CC-7d3f2c1e', '--messages', '6', ...grace)
  await trigger('status-update', 'CC-19c887f5', '--status', 'ongoing', '--set', 'customer.name=Alan')
  await shoot(ui, path, {
    prepare: page => page.getByRole('option', { name: /^Grace/ }).click(),
    last: page => page.getByRole('region', { name: 'Analysis' }),
  })
}

async function startTail(start: Callyard['start'], ...flags: string[]) {
  const args = ['webhook', 'tail', '--ui', '--port', '0', '--json', ...flags]
  const { ready, ui } = await start(args, 'ready', 'ui')
  if (ready?.url === undefined || ui?.url === undefined)
    throw new Error('webhook tail ended before it listened')
  return { ready: ready.url, ui: ui.url }
}

/** Writes each view and state of the pages and documents to one HTML file in the temporary folder, and returns its path. */
async function contactSheet({ folder, run, onTerminal }: Callyard, root: string): Promise<string> {
  const bin = join(root, 'bin/callyard.js')
  const [forTail, forSandbox] = [commandIn(folder, bin), commandIn(folder, bin)]
  const flags = '--ui --caller live --port 0 --pace 0 --in-memory --seed 1 --json'
  const path = join(tmpdir(), 'callyard-pages.html')
  const receiver = await startReceiver()
  try {
    const tail = await startTail(forTail.start, '--forward', receiver.url, '--record', 'calls.ndjson')
    await fillTail(tail.ready)
    const { ready, ui } = await forSandbox.start(`sandbox start ${flags}`.split(' '), 'ready', 'ui')
    const { baseUrl = '', apiKey = '', controlToken = '' } = ready ?? {}
    await fillSandbox({ baseUrl, apiKey, controlToken }, receiver.url)
    await run('webhook', 'show', 'calls.ndjson', '--all', '--out', 'calls.html')
    await run('webhook', 'show', 'calls.ndjson', '--last', '--out', 'call.html')
    await onTerminal('test --out ../tests.html', 8)
    const batch = filledBatch()
    const batchPage = await openBatchPage({
      feed: batch,
      clock: systemClock,
      pageCommand: 'callyard batch run reminders --ui',
    })
    const shots = await withBrowser(async page => [
      ...(await shootStates(page, { url: tail.ui, states: tailStates, stop: forTail.end })),
      ...(await shootStates(page, { url: ui?.url ?? '', states: sandboxStates, stop: forSandbox.end })),
      ...(await shootStates(page, {
        url: batchPage.url,
        states: batchStates(batch),
        beforeStop: waitForPeople,
        stop: batchPage.close,
      })),
      ...(await shootDocuments(page, folder, ['calls.html', 'call.html', 'tests.html'])),
    ])
    await writeFile(path, `<!doctype html><meta charset="utf-8"><title>Pages</title>${shots.join('\n')}`)
    return path
  } finally {
    await forTail.end()
    await forSandbox.end()
    await receiver.close()
  }
}

async function shootStates(page: Page, shown: Parameters<typeof visitStates>[1]): Promise<string[]> {
  const shots: string[] = []
  await visitStates(page, shown, async (state, width, colorScheme) => {
    shots.push(figure(await page.screenshot(), `${state}, ${width} px, ${colorScheme}`))
  })
  return shots
}

async function shootDocuments(page: Page, folder: string, names: readonly string[]): Promise<string[]> {
  const shots: string[] = []
  for (const name of names) {
    await page.goto(pathToFileURL(join(folder, name)).href)
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme })
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 })
        const picture = await page.screenshot({ fullPage: true })
        shots.push(figure(picture, `${name}, ${width} px, ${colorScheme}`))
      }
    }
  }
  return shots
}

function figure(picture: Buffer, caption: string): string {
  const source = `data:image/png;base64,${picture.toString('base64')}`
  return `<figure style="display: inline-block"><figcaption>${caption}</figcaption><img alt="" src="${source}"></figure>`
}

/** A report, and the view of figures on the page of a tail with rules. */
async function reportPictures(callyard: Callyard, images: string): Promise<void> {
  const { folder, run, start } = callyard
  const recording = madeRecording(...sixtyCalls())
  await writeFile(join(folder, 'calls.ndjson'), recording)
  await run('report', 'calls.ndjson', '--out', 'report.html')
  await shoot(pathToFileURL(join(folder, 'report.html')).href, join(images, 'report'), {
    scale: 1.25,
    prepare: async page => void (await page.getByRole('heading', { name: 'Distributions' }).waitFor()),
    last: page => page.locator('section', { has: page.getByRole('heading', { name: 'Tools' }) }),
  })
  await writeFile(
    join(folder, 'rules.yaml'),
    `rules:
  - { name: slow replies, when: p95(reply) over 1h > 3s }
  - { name: busy lines, when: share(busy) over last 50 calls > 20% }
  - { name: no events, when: no events for 15m }
`,
  )
  const { ready, ui } = await startTail(start, '--guard', 'rules.yaml')
  await run('webhook', 'replay', 'calls.ndjson', '--to', ready, '--speed', 'max')
  await shoot(ui, join(images, 'figures-page'), {
    scale: 1.25,
    async prepare(page) {
      await page.getByRole('radio', { name: 'Figures' }).check({ force: true })
      await page.getByText('firing since').first().waitFor()
      await page.getByText(/^60 calls/).waitFor()
    },
    last: page => page.locator('section', { has: page.getByRole('heading', { name: 'Shares of calls' }) }),
  })
}

/** Calls that differ as real ones do, the same each time. */
function sixtyCalls(): Partial<MadeCall>[] {
  const questions = ['When are you open?', 'Where is the workshop?', 'What does a service cost?']
  return Array.from({ length: 60 }, (_, index) => {
    const waves = (period: number) => (1 + Math.sin(index * period)) / 2
    const question = questions[index % questions.length] ?? ''
    const replyMs = 2400 + 1500 * waves(7) ** 2 + (index % 15 === 4 ? 5000 : 0)
    const isAnswered = index % 5 !== 3
    return {
      startAt: Date.UTC(2026, 10, 20, 8, 9 * index),
      assistant: index % 3 === 0 ? 'Night desk' : 'Front desk',
      messages: isAnswered
        ? [
            { role: 'assistant' as const, text: 'Hello, how can I help?', gapMs: 1500 + 800 * waves(3) },
            { role: 'user' as const, text: question, gapMs: 2500 + 2500 * waves(5) },
            { role: 'assistant' as const, text: 'We are open from nine to six.', gapMs: replyMs },
            { role: 'user' as const, text: 'Thank you, goodbye.', gapMs: 1800 + 4000 * waves(11) },
          ]
        : [],
      tools:
        isAnswered && index % 4 === 0
          ? [{ name: 'book-appointment', ms: 600 + 900 * waves(9), fails: index % 12 === 0 }]
          : [],
      end: isAnswered ? ('answered' as const) : ('busy' as const),
      endedBy: index % 7 === 0 ? ('assistant' as const) : ('user' as const),
      tailMs: 1000 + 2000 * waves(13),
      success: index % 9 === 0 ? ('fail' as const) : ('pass' as const),
      data: { persons: 1 + (index % 4), topic: question.includes('open') ? 'hours' : 'repair' },
    }
  })
}

/** A live call whose caller is the reader of the page, and one before it. */
async function sandboxPicture({ run, start }: Callyard, path: string): Promise<void> {
  // The starter project sends its webhooks there.
  await start('webhook tail --port 4011 --json'.split(' '))
  const flags =
    '--ui --caller live --port 0 --pace 0 --in-memory --seed 1 --project desk --save-profile shown'
  const { ui } = await start(`sandbox start ${flags} --json`.split(' '), 'ui')
  if (ui?.url === undefined) throw new Error('sandbox start ended before it listened')
  const call = (to: string, ...more: string[]) =>
    run('call', 'start', '--profile', 'shown', '--from', '+12025550100', '--to', to, '--yes', ...more)
  await call('+12025550142', '--metadata', 'caller=["Do you take dogs?", "Goodbye"]')
  await call('+12025550123')
  await shoot(ui.url, path, {
    async prepare(page) {
      await page.getByRole('option', { name: /^\+12025550123/ }).click()
      for (const line of ['When are you open?', 'Can I cancel an appointment?']) {
        await page.getByLabel('Caller’s message').fill(line)
        await page.getByRole('button', { name: 'Say', exact: true }).click()
        await page.getByRole('log').getByText(line).waitFor()
        // The assistant has replied.
        await page.getByText('It is the caller’s turn.').waitFor()
      }
      await page.getByRole('option', { name: /^\+12025550142, finished/ }).waitFor()
    },
    last: page => page.getByRole('region', { name: 'Status' }),
  })
}

/**
 * Takes a picture in light and in dark at twice the size, as `<path>.png` and `<path>-dark.png`, each with a frame. `prepare` brings
 * the page into the desired state; the picture ends below the section that `last` returns.
 */
async function shoot(
  url: string,
  path: string,
  {
    prepare,
    last,
    scale = 2,
  }: { prepare: (page: Page) => Promise<void>; last: (page: Page) => Locator; scale?: number },
): Promise<void> {
  await withBrowser(async page => {
    await page.setViewportSize({ width: pictureWidth, height: 2000 })
    await page.goto(url)
    await prepare(page)
    const { y, height } = (await last(page).boundingBox()) ?? { y: 0, height: 0 }
    if (height === 0) throw new Error(`the section where ${path} ends is not on the page`)
    await page.setViewportSize({ width: pictureWidth, height: Math.ceil(y + height) })
    // A document with a light background of its own has no edge on a light page.
    await page.addStyleTag({
      content:
        'body::after { content: ""; position: fixed; inset: 0; border: 1px solid #8888; pointer-events: none; z-index: 9; }',
    })
    for (const [colorScheme, name] of [
      ['light', `${path}.png`],
      ['dark', `${path}-dark.png`],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: name, animations: 'disabled' })
    }
  }, scale)
}

async function withBrowser<Result>(use: (page: Page) => Promise<Result>, scale = 1): Promise<Result> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(`there is no ${executablePath}: set CHROMIUM to the path of a Chromium`)
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return await use(await browser.newPage({ timezoneId: 'UTC', deviceScaleFactor: scale, bypassCSP: true }))
  } finally {
    await browser.close()
  }
}

type Callyard = ReturnType<typeof commandIn>

/** A line of `--json` of a command that has started. */
interface StartEvent {
  readonly kind: string
  readonly url?: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly controlToken?: string
}

/** The built command with `folder` as its home; commands on a terminal run in the project `desk` there. */
function commandIn(folder: string, script: string) {
  // Started by its name, as hints then print it.
  const bin = join(folder, 'bin/callyard')
  mkdirSync(dirname(bin), { recursive: true })
  if (!existsSync(bin)) symlinkSync(script, bin)
  const env = {
    PATH: `${dirname(bin)}${delimiter}${process.env.PATH}`,
    HOME: folder,
    CALLYARD_CONFIG_DIR: join(folder, 'config'),
    TZ: 'UTC',
  }
  const running: ChildProcess[] = []
  return {
    folder,
    run: (...argv: string[]) => promisify(execFile)(process.execPath, [bin, ...argv], { cwd: folder, env }),

    /** Starts a command that runs on; resolves with its events by kind once it has printed the `wanted` ones. */
    async start(argv: readonly string[], ...wanted: string[]) {
      const child = spawn(process.execPath, [bin, ...argv], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      running.push(child)
      const events: Record<string, StartEvent | undefined> = {}
      for await (const line of createInterface({ input: child.stdout })) {
        const event: StartEvent = JSON.parse(line)
        events[event.kind] = event
        if (wanted.every(kind => events[kind] !== undefined)) break
      }
      child.stdout.resume()
      return events
    },

    /**
     * Returns the stdout of a command, without its progress bar, which is on stderr. `onLine` gets each line and its time in
     * milliseconds.
     */
    onTerminal(typed: string, expected = 0, onLine?: (line: string, at: number) => void): Promise<string> {
      const terminal = spawnInTerminal(
        'sh',
        ['-c', `exec '${process.execPath}' '${bin}' ${typed} 2> /dev/null`],
        {
          cols: 80,
          rows: 24,
          cwd: join(folder, 'desk'),
          env: { ...env, TERM: 'xterm-256color', NO_UPDATE_NOTIFIER: '1' },
        },
      )
      return new Promise((resolve, reject) => {
        let printed = ''
        let begun = ''
        terminal.onData(data => {
          printed += data
          const lines = `${begun}${data}`.split('\r\n')
          begun = lines.pop() ?? ''
          for (const line of lines) onLine?.(line, performance.now())
        })
        terminal.onExit(({ exitCode }) => {
          if (exitCode === expected) resolve(printed.replaceAll('\r\n', '\n').trimEnd())
          else reject(new Error(`callyard ${typed} ended with exit code ${exitCode}:\n${printed}`))
        })
      })
    },

    async end() {
      for (const child of running.filter(({ exitCode }) => exitCode === null)) {
        child.kill()
        await once(child, 'exit')
      }
    },
  }
}
