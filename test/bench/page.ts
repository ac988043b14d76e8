import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { createConversationTracker } from '../../src/events/conversation/index.ts'
import type { Watcher } from '../../src/events/receive/index.ts'
import { openPage } from '../../src/web/index.ts'
import { createCallStore } from '../../src/web/server/call-store.ts'
import { readEvent } from '../helpers/events.ts'
import { openHttpTail } from '../helpers/http-tail.ts'
import { realClock } from '../helpers/real-clock.ts'
import { pageFigures } from '../web/page-figures.ts'
import { eventText } from './inputs.ts'
import { interleaved, median, medianRatio, timeOf } from './rounds.ts'
import { atMost, defineBench, type Workspace } from './table.ts'

const chromiumPath =
  ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(existsSync) ?? '/usr/bin/chromium'
const calls = 10_000
const eventsPerCall = 10

/** Cost of a tail's page with ten thousand live calls: for the tail, and for a browser that shows all of them. */
export const pageBench = defineBench({
  name: 'page',
  rows: {
    tail: {
      work: 'page: the tail keeps an event of 10,000 calls at once, against one of 1,000',
      unit: 'times',
      floor: '1',
      goal: atMost(2),
    },
    paint: { work: 'page: list of 10,000 calls drawn after it is opened', unit: 'ms', goal: atMost(1500) },
    heap: { work: 'page: memory of its script with 10,000 calls', unit: 'MB', goal: atMost(60) },
    figures: {
      work: 'page: the tail draws the figures of 10,000 calls after an event',
      unit: 'ms',
      goal: atMost(500),
    },
    frame: {
      work: 'page: longest frame while 10,000 calls are scrolled and 100 events a second come',
      unit: 'ms',
      goal: atMost(100),
    },
  },
  async measure(space) {
    const keep = (count: number) => {
      const store = createCallStore()
      const time = timeOf(() => takeAll(count, (taken, delivery) => void store.add(taken, delivery, 0)))
      return (time * 1000) / (count * eventsPerCall)
    }
    const times = await interleaved(space.rounds(3), { few: () => keep(calls / 10), many: () => keep(calls) })
    if (!existsSync(chromiumPath)) throw new Error(`there is no ${chromiumPath}`)
    const shown = await showAll(space)
    return {
      tail: {
        value: medianRatio(times.many, times.few),
        detail: `${median(times.many).toFixed(1)} µs; ${median(times.few).toFixed(1)} µs, reading it included`,
      },
      paint: { value: shown.paint },
      heap: { value: shown.heap },
      figures: { value: shown.figures },
      frame: { value: shown.frame },
    }
  },
})

function takeAll(count: number, onEvent: (...event: Parameters<Watcher['observe']>) => void): void {
  const counter = createConversationTracker()
  for (let event = 0; event < eventsPerCall; event++) {
    for (let call = 0; call < count; call++) {
      const body = Buffer.from(eventText(call, event, eventsPerCall))
      const headers = { 'content-type': 'application/json' }
      onEvent(counter.apply(readEvent(body.toString())), { body, headers })
    }
  }
}

async function showAll({ folder, rounds }: Workspace) {
  const hints = { forward: '', trigger: '', pageCommand: '' }
  const watch = await openPage({
    ...{ clock: realClock, targets: [], hints, figures: pageFigures, maxCalls: calls },
  })
  const tail = await openHttpTail({ host: '127.0.0.1', port: 0, path: '/', clock: realClock, watcher: watch })
  const browser = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
  })
  try {
    takeAll(calls, (taken, delivery) => watch.observe(taken, delivery))
    const page = browser.pages()[0] ?? (await browser.newPage())
    const paints: number[] = []
    for (let round = 0; round < rounds(5); round++) {
      await page.goto(new URL(watch.path, tail.url).href, { waitUntil: 'commit' })
      await page.locator('#calls [role=option]').nth(199).waitFor()
      paints.push(Number(await page.evaluate('performance.now()')))
    }
    const heap = Number(await page.evaluate('gc(), performance.memory.usedJSHeapSize')) / 1024 ** 2
    const figuresUrl = new URL(`${watch.path}figures`, tail.url)
    const figures: number[] = []
    for (let round = 0; round < rounds(5); round++) {
      const started = performance.now()
      await (await fetch(figuresUrl)).text()
      // The first one reads every call.
      if (round > 0) figures.push(performance.now() - started)
      takeAll(1, (taken, delivery) => watch.observe(taken, delivery))
    }
    return {
      paint: median(paints),
      heap,
      figures: median(figures),
      frame: await longestFrame(page, watch.observe),
    }
  } finally {
    await browser.close()
    watch.close()
    await tail.close()
  }
}

/** Milliseconds between two frames at most, in three seconds. */
async function longestFrame(page: Page, take: Watcher['observe']): Promise<number> {
  const counter = createConversationTracker()
  let call = 0
  const coming = setInterval(() => {
    const body = Buffer.from(eventText(call++ % calls, 3, eventsPerCall))
    take(counter.apply(readEvent(body.toString())), { body, headers: {} })
  }, 10)
  try {
    return Number(
      await page.evaluate(`new Promise(resolve => {
        const list = document.querySelector('.list-scroller')
        const started = performance.now()
        let last = started
        let longest = 0
        const frame = now => {
          longest = Math.max(longest, now - last)
          last = now
          list.scrollTop += 40
          if (now - started < 3000) requestAnimationFrame(frame)
          else resolve(longest)
        }
        requestAnimationFrame(frame)
      })`),
    )
  } finally {
    clearInterval(coming)
  }
}
