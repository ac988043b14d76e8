import type { WebhookRecord, WebhookSummary } from '../../../files/formats/control-api.ts'
import { toJsonLine } from '../../../lib/text/escape.ts'
import { chip, element, pageFailure, textBlock } from '../dom.ts'
import type { SelectedCall } from '../page-model.ts'
import { bodyParts, createRawEvents, type DeliveryLine } from '../raw-events.ts'
import type { ControlApi } from './control-api.ts'
import { wasNotTaken } from './shown-record.ts'

type WebhookOf = (call: number | undefined, number: number) => WebhookSummary | undefined

/** The webhooks of a call in the place of a tail's events. `webhookOf` gives one by the key of its call and its number. */
export function createWebhookEvents(api: ControlApi, webhookOf: WebhookOf) {
  let shownKey: number | undefined
  const events = createRawEvents({
    linesOf: ({ number }) => deliveryLines(webhookOf(shownKey, number)),
    open: (call, { number }) => webhookPanel(webhookOf(call, number), api),
  })
  return {
    draw(call: SelectedCall, isOther: boolean) {
      shownKey = call.key
      events.draw(call, isOther)
    },
  }
}

function deliveryLines(webhook: WebhookSummary | undefined): DeliveryLine[] {
  if (webhook === undefined) return []
  const { sent, status, reason, milliseconds = 0, faults = [] } = webhook
  const outcome = status === undefined ? reason : `${status} in ${Math.round(milliseconds)} ms`
  const words = [
    outcome ?? (faults.includes('drop') ? 'not sent' : 'waiting'),
    ...(sent > 1 ? [`sent ${sent} times`] : []),
    ...(faults.length === 0 ? [] : [`fault: ${faults.join(', ')}`]),
  ]
  return [{ words: words.join(' · '), failed: wasNotTaken(webhook) }]
}

function webhookPanel(webhook: WebhookSummary | undefined, api: ControlApi): HTMLElement {
  if (webhook === undefined) return element('div', { class: 'panel' })
  const { call, number, url } = webhook
  const name = `Body of event ${number}`
  const body = element('div', {}, 'Loading')
  const read = async (webhookNumber: number) => {
    const query = new URLSearchParams({ id: `${call}/${webhookNumber}` })
    const { webhooks } = await api.get<{ readonly webhooks: readonly WebhookRecord[] }>(`webhooks?${query}`)
    const [record] = webhooks
    return record?.body === undefined ? undefined : toJsonLine(record.body)
  }
  Promise.all([read(number), number === 1 ? undefined : read(number - 1)]).then(
    ([text, earlier]) =>
      body.replaceChildren(
        ...(text === undefined
          ? [textBlock(name, 'It was not sent, or is no longer available.')]
          : bodyParts(number, text, earlier)),
      ),
    (error: unknown) => body.replaceChildren(textBlock(name, pageFailure(error, 'sandbox'))),
  )
  return element('div', { class: 'panel' }, element('p', { class: 'ids faint' }, 'to', chip(url)), body)
}
