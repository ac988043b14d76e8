import type { ActiveFault } from '../../../interface/control-api.ts'
import { count } from '../../../lib/text/count.ts'
import { byId, element, setText } from '../dom.ts'
import { type ControlApi, onSubmit, report } from './control-api.ts'

/** The faults on request: those in force, and a form for another one. */
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
    setText(byId('faults-note'), faults.length === 0 ? 'None: everything arrives.' : '')
    if (hadFocus) (list.querySelector('button') ?? name).focus()
  }
  const change = (act: () => Promise<unknown>) =>
    report(notice, async () => {
      await act()
      await load()
    })
  const row = ({ id, rule, struck }: ActiveFault) => {
    const words = Object.entries(rule)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ')
    const remove = element('button', { type: 'button', 'aria-label': `Remove ${words}` }, 'Remove')
    remove.addEventListener('click', () =>
      change(() => api.send('DELETE', `faults/${encodeURIComponent(id)}`)),
    )
    return element(
      'li',
      { class: 'fault' },
      element('span', { class: 'type' }, words),
      element('span', { class: 'number faint' }, `struck ${count(struck, 'time')}`),
      remove,
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
    const rule = { [name.value]: field('probability').valueAsNumber, ...times, ...Object.fromEntries(scopes) }
    return change(() => api.send('POST', 'faults', rule))
  })
  byId('clear-faults').addEventListener('click', () => change(() => api.send('DELETE', 'faults')))
  return { load }
}
