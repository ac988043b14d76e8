import { expect, test } from 'vitest'
import { readFacts } from '../../../src/calls/report/index.ts'
import { drawFigures } from '../../../src/cli/shell/call-figures/page-figures.ts'
import { parseLine } from '../../../src/events/recordings/index.ts'
import { elementMarkup } from '../../../src/lib/text/markup.ts'
import { madeRecording, slowReply } from '../../calls/report/made-recording.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { stream } from '../../helpers/recordings.ts'
import { pageFigures } from '../page-figures.ts'
import { openTailWithPage } from './tail-with-page.ts'

const items = madeRecording(
  { tools: [{ name: 'book-appointment', ms: 900, fails: true }] },
  { messages: slowReply, success: 'fail' },
  { end: 'busy', messages: [] },
)
  .trimEnd()
  .split('\n')
  .flatMap(line => parseLine(Buffer.from(line)) ?? [])

async function drawing(
  ask: Awaited<ReturnType<typeof openTailWithPage>>['ask'],
  path: string,
): Promise<unknown> {
  return JSON.parse((await ask(`${path}figures`)).body).drawing
}

test('the page draws the figures that a report of the same events has', async () => {
  let now = 0
  const { tailPage, ask, post } = await openTailWithPage({ clock: { ...realClock, now: () => now } })
  for (const item of items) {
    if (item.kind !== 'recorded') continue
    now = Date.parse(item.at)
    await post(JSON.parse(item.body))
  }
  const read = () => stream(items)
  const { calls } = await readFacts([{ read, isRereadable: true }], pageFigures.facts)
  // The keys of the page: calls in the order of their first event.
  const keys = new Map(calls.map((call, index) => [call, String(index + 1)]))
  expect(await drawing(ask, tailPage.path)).toEqual(drawFigures(calls, call => keys.get(call) ?? ''))
})

test('an event changes the figures, and events of no call are not in them', async () => {
  const { tailPage, ask, post } = await openTailWithPage()
  const text = async () => {
    const drawn = JSON.parse((await ask(`${tailPage.path}figures`)).body).drawing
    return drawn.map((each: Parameters<typeof elementMarkup>[0]) => elementMarkup(each).html).join('')
  }
  expect(await text()).toContain('No calls yet.')
  await post({ message: { type: 'health-check' } })
  expect(await text()).toContain('No calls yet.')
  const end = (id: string, phoneCallStatus: string) =>
    post({ message: { type: 'status-update', call: { id, status: 'finished', phoneCallStatus } } })
  await end('CC-1', 'busy')
  expect(await text()).toMatch(/1 call .*busy.*1 · 100%/s)
  await end('CC-2', 'no-answer')
  expect(await text()).toMatch(/2 calls .*1 · 50%.*1 · 50%/s)
})

test('a call without its beginning is not in the figures', async () => {
  const { tailPage, ask, post } = await openTailWithPage({ maxCalls: 1 })
  const status = (id: string, word: string) =>
    post({ message: { type: 'status-update', call: { id, status: word } } })
  await status('CC-1', 'ongoing')
  await status('CC-2', 'finished')
  const whole = JSON.stringify(await drawing(ask, tailPage.path))
  expect(whole).toContain('1 call ')
  await status('CC-1', 'finished')
  expect(JSON.stringify(await drawing(ask, tailPage.path))).toContain('No calls yet.')
})
