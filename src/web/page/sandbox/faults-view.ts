import type { ActiveFault, FaultRule } from '../../../files/formats/control-api.ts'
import { count } from '../../../lib/text/count.ts'
import { onlineControls } from '../connection-status.ts'
import { byId, chip, element, setText } from '../dom.ts'
import { type ControlApi, onSubmit, report } from './control-api.ts'

/** Faults in force, and a form to add one. */
export function createFaultsView(api: ControlApi) {
  const list = byId('faults', HTMLUListElement)
  const name = byId('fault-name', HTMLSelectElement)
  const notice = byId('faults-notice')
  const field = (id: string) => byId(`fault-${id}`, HTMLInputElement)

  /** Asks for them, and draws them. */
  const load = async () => {
    const { faults } = await api.get<{ readonly faults: readonly ActiveFault[] }>('faults')
    const hadFocus = list.contains(document.activeElement)
    list.replaceChildren(...faults.map(row))
    setText(
      byId('faults-note'),
      faults.length === 0 ? 'No faults. Webhooks and requests arrive as sent.' : '',
    )
    byId('clear-faults').hidden = faults.length === 0
    if (hadFocus) (list.querySelector('button') ?? name).focus()
  }
  const change = (act: () => Promise<unknown>) =>
    report(notice, async () => {
      await act()
      await load()
    })
  const row = ({ id, rule, struck }: ActiveFault) => {
    const words = faultWords(rule)
    const { call, ...others } = rule
    const remove = element('button', { type: 'button', 'aria-label': `Remove ${words}` }, 'Remove')
    remove.addEventListener('click', () =>
      change(() => api.send('DELETE', `faults/${encodeURIComponent(id)}`)),
    )
    return element(
      'li',
      { class: 'fault' },
      element('span', {}, `${faultWords(others)} · hit ${count(struck, 'time')}`),
      ...(call === undefined ? [] : [element('span', { class: 'ids faint' }, 'call', chip(call))]),
      onlineControls(remove),
    )
  }
  const drawForm = () => {
    const ofWebhooks = name.selectedOptions[0]?.parentElement?.id === 'webhook-faults'
    byId('of-webhooks').hidden = !ofWebhooks
    byId('of-requests').hidden = ofWebhooks
  }

  name.addEventListener('change', drawForm)
  drawForm()
  onSubmit('add-fault', () => {
    const scopes = ['call', 'path', 'scope'].flatMap(scope => {
      const { value, parentElement } = field(scope)
      return value.trim() === '' || parentElement?.hidden === true ? [] : [[scope, value.trim()]]
    })
    const times = field('times').value === '' ? {} : { times: field('times').valueAsNumber }
    const rule = {
      [name.value]: field('percent').valueAsNumber / 100,
      ...times,
      ...Object.fromEntries(scopes),
    }
    return change(() => api.send('POST', 'faults', rule))
  })
  byId('clear-faults').addEventListener('click', () => change(() => api.send('DELETE', 'faults')))
  return { load }
}

/** A rule in words: `30 % of webhooks dropped · call CC-de99`. */
export function faultWords({ call, type, path, scope, times, ...probabilities }: FaultRule): string {
  const kinds = Object.entries(probabilities).map(
    ([name, probability]) =>
      `${Math.round((probability ?? 0) * 1e4) / 100} % of ${faultEffects[name] ?? name}`,
  )
  const limits = Object.entries({ call, type, path, scope }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  const stop = times === undefined ? [] : [`stops after ${count(times, 'time')}`]
  return [kinds.join(', '), ...limits, ...stop].join(' · ')
}

const faultEffects: Readonly<Record<string, string>> = {
  drop: 'webhooks dropped',
  duplicate: 'webhooks sent twice',
  reorder: 'webhooks sent after the next one',
  delay: 'webhooks sent late',
  disconnect: 'webhooks cut off',
  429: 'requests rejected with 429',
  500: 'requests failed with 500',
  hang: 'requests without a response',
  reset: 'requests reset before the response',
}
