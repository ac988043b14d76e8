import type { ShownClock } from '../../../files/formats/control-api.ts'
import { byId, dateTimeElement, setAttribute, setText } from '../dom.ts'
import { type ControlApi, onSubmit, report } from './control-api.ts'

/** The sandbox's clock, and what moves it. */
export function createClockBar(api: ControlApi) {
  const timeElement = byId('clock-now')
  const freeze = byId('clock-freeze')
  const toggle = byId('clock-toggle')
  const notice = byId('clock-notice')
  const paces = document.querySelectorAll<HTMLButtonElement>('[data-pace]')
  let lastState: { readonly state: ShownClock; readonly at: number; readonly since: number } | undefined

  /** The sandbox's time, in milliseconds since the epoch; undefined while it is not known. */
  const now = () => {
    if (lastState === undefined) return undefined
    const { state, at, since } = lastState
    return at + (state.frozen ? 0 : (performance.now() - since) * state.pace)
  }
  const drawTime = () => {
    const at = now()
    if (at !== undefined) timeElement.replaceChildren(dateTimeElement(at))
  }
  const applyState = (state: ShownClock) => {
    lastState = { state, at: Date.parse(state.now), since: performance.now() }
    setAttribute(freeze, 'aria-pressed', String(state.frozen))
    for (const button of paces)
      setAttribute(button, 'aria-pressed', String(Number(button.dataset.pace) === state.pace))
    setText(byId('clock-state'), stateWords(state))
    drawTime()
  }
  const post = (change: Readonly<Record<string, unknown>>) =>
    report(notice, async () => applyState(await api.send<ShownClock>('POST', 'clock', change)))

  freeze.addEventListener('click', () => void post({ freeze: lastState?.state.frozen !== true }))
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-advance]'))
    button.addEventListener('click', () => void post({ advance: button.dataset.advance }))
  for (const button of paces)
    button.addEventListener('click', () => void post({ pace: Number(button.dataset.pace) }))
  onSubmit('advance', () => post({ advance: byId('advance-by', HTMLInputElement).value.trim() }))
  onSubmit('pace', () => post({ pace: byId('pace-by', HTMLInputElement).valueAsNumber }))
  toggle.addEventListener('click', () => {
    const opens = toggle.getAttribute('aria-expanded') !== 'true'
    setAttribute(toggle, 'aria-expanded', String(opens))
    setText(toggle, opens ? 'Close' : 'Adjust clock')
  })
  window.setInterval(drawTime, 1000)
  /** Asks for it, and draws it. */
  const load = async () => applyState(await api.get<ShownClock>('clock'))
  return {
    load,
    now,
    /** Stops the clock until it is loaded again. */
    stop() {
      const at = now()
      if (lastState !== undefined && at !== undefined)
        lastState = { ...lastState, at, state: { ...lastState.state, frozen: true } }
      drawTime()
    },
  }
}

function stateWords({ pace, frozen }: ShownClock): string {
  if (frozen) return 'frozen'
  if (pace === 0) return 'no waiting'
  return pace === 1 ? 'real time' : `${pace} times real time`
}
