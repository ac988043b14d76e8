import { byId, setAttribute, setText } from '../dom.ts'
import type { ControlApi } from './control-api.ts'
import { refusalOf } from './control-api.ts'
import { createSpeech } from './speech.ts'

/** What the caller box shows of the selected call. */
export interface CallerNow {
  readonly callId: string
  readonly isOngoing: boolean
  readonly isOver: boolean
  /** Whether the caller has the floor. */
  readonly isListening: boolean
}

export interface CallerBox {
  /** Undefined where no call is selected. */
  draw(now: CallerNow | undefined): void
  /** The assistant said it in the selected call. */
  heard(text: string): void
}

/** The box in which the reader of the page is the caller of the selected call. */
export function createCallerBox(api: ControlApi): CallerBox {
  const box = byId('caller', HTMLElement)
  const line = byId('line', HTMLInputElement)
  const keys = byId('keys', HTMLInputElement)
  const silence = byId('silence', HTMLInputElement)
  const notice = byId('caller-notice', HTMLElement)
  let shown: CallerNow | undefined
  /** Of the last command, until the next. */
  let failure = ''

  const drawNotice = () => setText(notice, failure === '' ? stateWords(shown) : failure)
  const send = async (command: Readonly<Record<string, unknown>>): Promise<boolean> => {
    if (shown === undefined) return false
    failure = ''
    try {
      await api.send('POST', `calls/${encodeURIComponent(shown.callId)}/control`, command)
      return true
    } catch (error) {
      failure = refusalOf(error)
      return false
    } finally {
      drawNotice()
    }
  }
  const speak = async (command: Readonly<Record<string, unknown>>) => {
    const text = line.value.trim()
    if (text === '') return line.focus()
    // What could not be said stays to be said again.
    if ((await send({ ...command, text })) && line.value.trim() === text) line.value = ''
  }
  const speech = createSpeech({
    onWords: text => {
      line.value = text
    },
    onSaid: () => void speak(sayIt),
    onFailure(reason) {
      failure = reason
      drawNotice()
    },
  })

  onSubmit('say', () => speak(sayIt))
  onSubmit('press', async () => {
    if (await send({ type: 'keys', keys: keys.value })) keys.value = ''
  })
  onSubmit('wait', () => send({ type: 'silence', seconds: silence.valueAsNumber }))
  byId('interrupt', HTMLButtonElement).addEventListener('click', () => void speak({ type: 'interrupt' }))
  byId('hang-up', HTMLButtonElement).addEventListener('click', () => void send({ type: 'hangup' }))

  return {
    draw(now) {
      if (now?.callId !== shown?.callId) {
        failure = ''
        speech.stop()
      }
      shown = now
      box.hidden = now === undefined || now.isOver
      if (box.hidden) speech.stopListening()
      setAttribute(box, 'data-listening', String(now?.isListening ?? false))
      drawNotice()
    },
    heard: speech.read,
  }
}

const sayIt = { type: 'say', role: 'user' }

function stateWords(now: CallerNow | undefined): string {
  if (now === undefined || now.isOver) return ''
  if (!now.isOngoing) return 'The call is not picked up yet.'
  return now.isListening ? 'The caller has the floor.' : 'The call goes on.'
}

/** Runs for the form with this id instead of the browser's own sending. */
export function onSubmit(id: string, run: () => unknown): void {
  byId(id, HTMLFormElement).addEventListener('submit', event => {
    event.preventDefault()
    run()
  })
}
