import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { LiveRuleStatus } from '../../src/calls/guard/index.ts'
import { drawRules } from '../../src/cli/shell/call-figures/rules.ts'
import { conversationUpdate, message, statusUpdate } from '../helpers/events.ts'
import { triggeredCall } from '../helpers/triggered-events.ts'

export const widths = [1280, 800, 360]
export const colorSchemes = ['light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

interface ShownStates {
  readonly url: string
  readonly states: readonly PageState[]
  /** Brings the page into the state that it keeps without its server. Default: opens the first call. */
  beforeStop?(page: Page): Promise<void>
  /** Ends the server of the page. */
  stop(): Promise<unknown>
  /** Default: all widths in both themes. */
  isVisited?(width: number, colorScheme: ColorScheme): boolean
}

/**
 * Brings a page to each state at each width and in both themes, and last to the states without a server. Each state is reached at the
 * largest width, then the window is made smaller: a page that is resized shows what one that was opened at that width does.
 */
export async function visitStates(
  page: Page,
  { url, states, stop, beforeStop = openFirstCall, isVisited = () => true }: ShownStates,
  visit: (state: string, width: number, colorScheme: ColorScheme) => Promise<void>,
): Promise<void> {
  const setWidth = (width: number) => page.setViewportSize({ width, height: 740 })
  const atEachWidth = async (name: string) => {
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of widths.filter(candidate => isVisited(candidate, colorScheme))) {
        await setWidth(width)
        await visit(name, width, colorScheme)
      }
    }
  }
  // Another page of the same origin: about:blank would take another process of the browser.
  const elsewhere = new URL('nothing', url).href
  for (const { name, show } of states) {
    await page.goto(elsewhere)
    await setWidth(Math.max(...widths))
    await page.goto(url)
    await show(page)
    await atEachWidth(name)
  }
  await page.goto(elsewhere)
  await setWidth(Math.max(...widths))
  await page.goto(url)
  await beforeStop(page)
  await stop()
  await page.getByText(/^(Disconnected since|The (tail|batch run) ended at)/).waitFor()
  await atEachWidth('disconnected')
}

async function openFirstCall(page: Page): Promise<void> {
  await page.getByRole('option').first().click()
  await page.getByRole('log').getByRole('listitem').first().waitFor()
}

/** Chooses a view of a page. A click during a drawing may be lost, so it is repeated as a person would. */
export async function view(page: Page, name: string): Promise<void> {
  const radio = page.getByRole('radio', { name, exact: true })
  do await radio.click({ force: true })
  while (!(await radio.isChecked()))
}

/** A view or state of a page, reached from the page as it opens. */
export interface PageState {
  readonly name: string
  show(page: Page): Promise<void>
}

/** Posts the events of some calls to a tail: finished, live, unanswered, right-to-left, long words and names, and a failed delivery's. */
export async function fillTail(url: string): Promise<void> {
  const numbers = (number: string) => ({
    direction: 'outbound',
    userNumber: number,
    assistantNumber: '+12025550100',
  })
  const events: unknown[] = [
    ...triggeredCall(6, 'CC-51fa429b'),
    statusUpdate('CC-7d3f2c1e', 'queued', numbers('+12025550181')),
    statusUpdate('CC-7d3f2c1e', 'finished', { ...numbers('+12025550181'), phoneCallStatus: 'busy' }),
    named(
      'CC-0e8a11d2',
      numbers('+12025550143'),
      'أمينة من مكتب الاستقبال في الطابق الثاني عشر من المبنى الجديد بجانب المحطة 12:30',
    ),
    conversationUpdate(
      'CC-0e8a11d2',
      message('m1', 'مرحبا، معك مكتب الاستقبال. كيف أساعدك؟', 'assistant'),
      message('m2', 'أريد حجز موعد يوم 12 في Spoke & Chain.'),
      message('m3', '{"day":"2026-03-12"}', 'tool'),
    ),
    named('CC-19c887f5', numbers('+12025550142'), `Bo${'x'.repeat(300)}`),
    conversationUpdate('CC-19c887f5', message('m1', 'Long: edited')),
    conversationUpdate('CC-19c887f5', message('m1', `Long: ${'x'.repeat(300)}`)),
  ]
  for (const event of events) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
    if (!response.ok) throw new Error(`the tail answered ${response.status}`)
  }
}

function named(callId: string, numbers: Record<string, unknown>, name: string): unknown {
  const { message } = statusUpdate(callId, 'ongoing', numbers)
  return { message: { ...message, customer: { name } } }
}

/** A forward target that refuses what was said in one call. */
export async function startReceiver(): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const isRefused = body.includes('CC-51fa429b') && body.includes('conversation-update')
    response.writeHead(isRefused ? 503 : 200).end('{"message":"ok"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/hook`,
    close: () => promisify(server.close.bind(server))(),
  }
}

/** A rule that fires by two groups, one that recovered, and one about missing events. */
const rules: readonly LiveRuleStatus[] = [
  {
    ...{ name: 'slow replies', when: 'p95(reply) over 10m > 3s by assistant', fired: 2, unit: 'ms' },
    firing: ['Front desk', null].map(group => ({ group, since: '2026-03-01T10:00:00.000Z' })),
    values: [
      { group: 'Front desk', value: 4200 },
      { group: null, value: 3100 },
      { group: 'Night desk with a name that takes more than one line on a phone', value: 900 },
    ],
    ...{ recoveredAt: null, lastEventAt: null },
  },
  {
    ...{ name: 'failures', when: 'share(failed) over last 50 calls > 20%', fired: 1, unit: 'share' },
    ...{ firing: [], values: [{ value: 0.04 }], recoveredAt: '2026-03-01T10:05:00.000Z', lastEventAt: null },
  },
  {
    ...{ name: 'silence', when: 'no events for 15m between 09:00 and 18:00', fired: 0, unit: 'ms' },
    ...{ firing: [], values: [], recoveredAt: null, lastEventAt: '2026-03-01T10:05:00.000Z' },
  },
]

export const shownRules = { version: 1, show: () => ({ firing: 1, drawing: drawRules(rules) }) }

/** States of a tail that forwards to a receiver. */
export const tailStates: readonly PageState[] = [
  { name: 'list', show: page => page.getByRole('option').nth(3).waitFor() },
  {
    name: 'long-word',
    async show(page) {
      await page.getByRole('option', { name: /^Box/ }).click()
      await page.getByRole('log').getByText('edited', { exact: true }).waitFor()
      await page
        .getByRole('button', { name: /^status-update/ })
        .first()
        .click()
      await page.locator('.panel .json').getByText('"message": {').scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'right-to-left',
    async show(page) {
      await page.getByRole('option', { name: /^أمينة/ }).click()
      await page.getByRole('log').getByText('مرحبا').waitFor()
    },
  },
  {
    name: 'call',
    async show(page) {
      await page.getByRole('option', { name: /^Ada/ }).click()
      await page.getByText('forwarded: 503').first().waitFor()
      await page.getByLabel('Type of raw events').selectOption({ label: 'Failed deliveries' })
      await page
        .getByRole('button', { name: /^conversation-update/ })
        .first()
        .click()
      await page.getByText(/^Since event \d+: 1 added/).waitFor()
      await page.getByRole('button', { name: 'Resend' }).click()
      await page.getByText(/ responded 503 in /).waitFor()
      await page.getByRole('button', { name: /^user: Yes, please/ }).click()
    },
  },
  {
    name: 'unanswered',
    async show(page) {
      await page.getByRole('option', { name: /^\+12025550181/ }).click()
      await page.getByText('The call was not answered: the line was busy.').waitFor()
    },
  },
  {
    name: 'no-hits',
    async show(page) {
      await page.getByRole('searchbox').fill('zzzz')
      await page.getByText('No call contains "zzzz".').waitFor()
    },
  },
  {
    name: 'keys',
    async show(page) {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  },
  {
    name: 'figures',
    async show(page) {
      await view(page, 'Figures')
      await page.getByRole('heading', { name: 'Distributions' }).waitFor()
      for (const table of await page.getByText('Table', { exact: true }).all()) await table.click()
      await page.getByRole('heading', { name: 'Distributions' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'other-run',
    async show(page) {
      await page.goto(page.url().replace(/ui-[^/]+/, `ui-${'A'.repeat(32)}`))
      await page.getByRole('heading', { name: 'This link belongs to another run.' }).waitFor()
    },
  },
]

/** A sandbox to fill. */
export interface FilledSandbox {
  readonly baseUrl: string
  readonly apiKey: string
  readonly controlToken: string
}

/** Records, calls, requests and a fault; webhooks where there is a URL for them. The last call is live when the sandbox has a live caller. */
export async function fillSandbox(sandbox: FilledSandbox, webhookUrl?: string): Promise<void> {
  const post = (path: string, body: unknown) => postTo(sandbox, sandbox.apiKey, path, body)
  const tool = await post('/assistants/v1/tools', bookingTool)
  const { _id: assistantId } = await post('/assistants/v1/assistants', {
    name: 'Front desk with a name that takes more than one line on a phone',
    welcomeMessage: 'Hello, this is the front desk. How can I help?',
    assistantToolIds: [tool._id],
    dtmfInputEnabled: true,
    ...(webhookUrl === undefined ? {} : { assistantServer: { url: webhookUrl } }),
  })
  await post('/assistants/v1/assistants', { name: 'مكتب الاستقبال' })
  await post('/kb/v1/knowledge-bases/KB-1/faq-template', {
    faq: [
      { question: 'When are you open?', answer: 'From nine to six.' },
      { question: 'متى تفتحون؟', answer: 'من التاسعة.' },
    ],
  })
  await post('/assistants/v1/tools', { type: 'unheard-of' })
  const numbers = { assistantNumber: '+12025550100', assistantId }
  const caller = ['Book me in for Friday', 'When are you open?', 'Goodbye']
  const batch = { batch: 'reminders with a name that takes more than one line', attempt: 1 }
  for (const [person, userNumber, script] of [
    ['1001', '+12025550124', { caller }],
    ['1002', '+12025550181', {}],
    ['مريم', '+12025550144', {}],
  ] as const)
    await post('/calls/v1/conversations', {
      ...numbers,
      userNumber,
      metadata: { ...batch, person, ...script },
    })
  await post('/calls/v1/conversations', {
    ...numbers,
    userNumber: '+12025550123',
    metadata: { caller },
  })
  await post('/calls/v1/conversations', { ...numbers, userNumber: '+12025550181' })
  await post('/calls/v1/conversations', { ...numbers, userNumber: '+12025550143' })
  const rule = { drop: 0.3, call: 'CC-de99c0ab-5f2e-4e58-9c0b-0d3a5b8c7e61', times: 5 }
  await postTo(sandbox, sandbox.controlToken, '/__sandbox/faults', rule)
}

const bookingTool = {
  type: 'function',
  function: {
    name: 'book_appointment',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string', format: 'date' } },
      required: ['day'],
    },
  },
  messages: [{ type: 'request-complete', content: 'It is in the calendar.' }],
  server: { url: 'https://workshop.example.com/appointments' },
}

async function postTo(
  { baseUrl }: FilledSandbox,
  key: string,
  path: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer: Readonly<Record<string, unknown>> = JSON.parse(await response.text())
  return answer
}

export const sandboxStates: readonly PageState[] = [
  { name: 'list', show: page => page.getByRole('option').nth(2).waitFor() },
  {
    name: 'live-call',
    async show(page) {
      await page.getByRole('option', { name: /^\+12025550143/ }).click()
      await page.getByText('It is the caller’s turn.').waitFor()
    },
  },
  {
    name: 'finished-call',
    async show(page) {
      await page.getByRole('option', { name: /^\+12025550123/ }).click()
      await page.getByRole('log').getByText('It is in the calendar.').waitFor()
      await page.getByRole('button', { name: /^book_appointment/ }).click()
      await page.locator('.panel .json').first().waitFor()
      const webhook = page.getByRole('button', { name: /^conversation-update/ }).first()
      await webhook.click()
      await page.getByText(/^Since event/).waitFor()
      await webhook.scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'batches',
    async show(page) {
      await view(page, 'Batches')
      await page.getByRole('button', { name: '1001 answered' }).click()
      await page.getByRole('button', { name: /^Open call CC-/ }).waitFor()
    },
  },
  {
    name: 'figures',
    async show(page) {
      await view(page, 'Figures')
      await page.getByRole('heading', { name: 'Distributions' }).waitFor()
    },
  },
  {
    name: 'requests',
    async show(page) {
      await view(page, 'Requests')
      await page.getByRole('list', { name: 'Requests' }).getByRole('button').first().click()
      await page.locator('.panel .json').first().waitFor()
    },
  },
  {
    name: 'requests-no-hits',
    async show(page) {
      await view(page, 'Requests')
      await page.getByLabel('Filter requests').fill('zzzz')
      await page.getByRole('button', { name: 'Clear', exact: true }).waitFor()
    },
  },
  {
    name: 'records',
    async show(page) {
      await view(page, 'Records')
      await page.getByText('2 assistants').waitFor()
      await page.getByRole('button', { name: /^When are you open/ }).click()
    },
  },
  {
    name: 'faults',
    async show(page) {
      await view(page, 'Faults')
      await page.getByText('30 % of webhooks dropped').waitFor()
    },
  },
  {
    name: 'reset',
    async show(page) {
      await view(page, 'State')
      await page.getByRole('button', { name: 'Reset' }).click()
      await page.getByRole('button', { name: 'Reset now' }).waitFor()
    },
  },
  {
    name: 'clock',
    async show(page) {
      const toggle = page.getByRole('button', { name: 'Adjust clock' })
      if (await toggle.isVisible()) await toggle.click()
      await page.getByRole('button', { name: 'No waiting' }).waitFor()
    },
  },
  {
    name: 'other-run',
    async show(page) {
      const url = `${page.url().split('#')[0]}#token=of-another-run`
      // Another fragment alone would not load the page again.
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByRole('heading', { name: 'This link belongs to another run.' }).waitFor()
    },
  },
]
