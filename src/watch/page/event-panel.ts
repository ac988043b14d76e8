import { toJsonDocument } from '../../lib/text/escape.ts'
import type { ResendResult, Resent, ShownEvent, ShownTarget, TargetAddress } from '../wire.ts'
import { curlCommand } from './curl-command.ts'
import { copyText, element, setText } from './dom.ts'
import { duration } from './shown-times.ts'

/** What the tail can do with an event. */
export interface EventActions {
  /** Where its type is forwarded to. */
  targetsOf(type: string): readonly ShownTarget[]
  /** Where this listener takes events, and what it asks of them. */
  readonly listener: () => Pick<ShownTarget, 'url' | 'headers'>
}

/** The body of an event, and what can be done with it. */
export function eventPanel(call: number, event: ShownEvent, actions: EventActions): HTMLElement {
  const query = `call=${call}&event=${event.number}`
  const told = element('div', { class: 'told', role: 'status' })
  const say = (...parts: HTMLElement[]) => {
    told.replaceChildren(...parts)
    // The buttons may be the last that is seen of a long panel.
    told.scrollIntoView({ block: 'nearest' })
  }
  const body = element('pre', { tabindex: '0', 'aria-label': `Body of event ${event.number}` }, 'Loading')
  const copy = element('button', { type: 'button' }, 'Copy as curl')
  const again = element('button', { type: 'button' }, 'Resend')
  const targets = actions.targetsOf(event.type)
  const loaded = load(`body?${query}`)
  loaded.then(
    text => setText(body, pretty(text)),
    (error: unknown) => setText(body, reasonOf(error)),
  )

  copy.addEventListener('click', async () => {
    const [target] = targets
    try {
      const { url, headers } = target === undefined ? actions.listener() : await withAddress(target)
      const command = curlCommand({ url, contentType: event.contentType, body: await loaded })
      say(...(await copyText(command, 'curl command')), ...missingHeaders(headers))
    } catch (error) {
      say(element('p', { class: 'failed' }, reasonOf(error)))
    }
  })
  if (targets.length === 0) again.setAttribute('aria-disabled', 'true')
  let sending = false
  again.addEventListener('click', async () => {
    if (targets.length === 0) {
      const hint = `No forward target takes ${event.type}. Start the tail with --forward <url>.`
      say(element('p', {}, hint))
      return
    }
    if (sending) return
    sending = true
    say(element('p', {}, 'Sending'))
    try {
      const { results } = await send({ call, event: event.number })
      say(...results.flatMap(outcome))
    } catch (error) {
      say(element('p', { class: 'failed' }, reasonOf(error)))
    }
    sending = false
  })
  return element('div', { class: 'panel' }, element('div', { class: 'actions' }, copy, again), told, body)
}

async function load(url: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error('This event is no longer kept.')
  return answer.text()
}

/** The query of an address may hold a secret: the page gets it where it is copied, and shows it nowhere. */
async function withAddress({ number, headers }: ShownTarget): Promise<Pick<ShownTarget, 'url' | 'headers'>> {
  const answer = await fetch(`address?target=${number}`)
  if (!answer.ok) throw new Error('The tail no longer has this target.')
  const { url }: TargetAddress = await answer.json()
  return { url, headers }
}

async function send(ask: { readonly call: number; readonly event: number }): Promise<Resent> {
  const answer = await fetch('resend', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  })
  if (!answer.ok) throw new Error('This event is no longer kept.')
  const resent: Resent = await answer.json()
  return resent
}

function missingHeaders(names: readonly string[]): HTMLElement[] {
  if (names.length === 0) return []
  const flags = names.map(name => `-H '${name}: …'`).join(' ')
  const values = names.length === 1 ? 'the value' : 'the values'
  return [element('p', {}, `Add ${flags}: this page does not know ${values}.`)]
}

function outcome({ url, outcome: result }: ResendResult): HTMLElement[] {
  if ('reason' in result) return [element('p', { class: 'failed' }, `${url}: ${result.reason}`)]
  const { status, milliseconds, body } = result
  const failed = status < 200 || status > 299
  const took = milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : duration(milliseconds)
  return [
    element('p', failed ? { class: 'failed' } : {}, `${url} answered ${status} in ${took}`),
    ...(body === '' ? [] : [element('pre', { tabindex: '0', 'aria-label': `Answer of ${url}` }, body)]),
  ]
}

function pretty(text: string): string {
  const document = indented(text)
  return document.length <= maxShownLength
    ? document
    : `${document.slice(0, maxShownLength)}\n… ${document.length - maxShownLength} characters more`
}

/** JSON.parse takes nesting of any depth, JSON.stringify does not: such a body is shown as it came. */
function indented(text: string): string {
  try {
    return toJsonDocument(JSON.parse(text))
  } catch {
    return text
  }
}

const maxShownLength = 200_000

function reasonOf(error: unknown): string {
  return error instanceof TypeError
    ? 'The tail cannot be reached.'
    : String(error instanceof Error ? error.message : error)
}
