import { byId, pageFailure, setAttribute, setText } from '../dom.ts'
import { type ControlApi, onSubmit } from './control-api.ts'

/** State of the selected call for the caller box. */
interface CallerNow {
  readonly callId: string
  readonly isOngoing: boolean
  readonly isOver: boolean
  /** True if it is the caller's turn. */
  readonly isListening: boolean
}

/** The box in which the reader of the page is the caller of the selected call. */
export function createCallerBox(api: ControlApi) {
  const box = byId('caller')
  const line = byId('line', HTMLInputElement)
  const keys = byId('keys', HTMLInputElement)
  const silence = byId('silence', HTMLInputElement)
  const notice = byId('caller-notice')
  let currentCaller: CallerNow | undefined
  /** Error of the last command, until the next. */
  let failure = ''

  const drawNotice = () => setText(notice, failure === '' ? stateWords(currentCaller) : failure)
  const send = async (command: Readonly<Record<string, unknown>>): Promise<boolean> => {
    if (currentCaller === undefined) return false
    failure = ''
    try {
      await api.send('POST', `calls/${encodeURIComponent(currentCaller.callId)}/control`, command)
      return true
    } catch (error) {
      failure = pageFailure(error, 'sandbox')
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
  byId('interrupt').addEventListener('click', () => void speak({ type: 'interrupt' }))
  byId('hang-up').addEventListener('click', () => void send({ type: 'hangup' }))

  return {
    /** Undefined where no call is selected. */
    draw(now: CallerNow | undefined) {
      if (now?.callId !== currentCaller?.callId) {
        failure = ''
        speech.stop()
      }
      currentCaller = now
      box.hidden = now === undefined || now.isOver
      if (box.hidden) speech.stopListening()
      setAttribute(box, 'data-listening', String(now?.isListening ?? false))
      drawNotice()
    },
    /** The assistant said it in the selected call. */
    heard: speech.read,
  }
}

const sayIt = { type: 'say', role: 'user' }

function stateWords(now: CallerNow | undefined): string {
  if (now === undefined || now.isOver) return ''
  if (!now.isOngoing) return 'The call has not been answered yet.'
  return now.isListening ? 'It is the caller’s turn.' : 'The call is in progress.'
}

interface SpeechHandlers {
  /** Called with the text recognized so far. */
  onWords(text: string): void
  /** The words are complete. */
  onSaid(): void
  /** The browser could not listen. */
  onFailure(reason: string): void
}

/**
 * The browser's speech (Web Speech API): a button to speak and one to listen, each if the browser supports it. The browser may send
 * audio and text to its vendor; the page sends them nowhere.
 */
function createSpeech({ onWords, onSaid, onFailure }: SpeechHandlers) {
  const speakButton = byId('speak')
  const hearButton = byId('hear')
  const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition
  const voice: SpeechSynthesis | undefined = 'speechSynthesis' in window ? window.speechSynthesis : undefined
  let hears = false
  let recognition: Recognition | undefined

  const stopListening = () => {
    recognition?.abort()
    recognition = undefined
    setAttribute(speakButton, 'aria-pressed', 'false')
  }
  const listen = (Made: new () => Recognition) => {
    // The microphone would hear the assistant's speech as the caller's.
    voice?.cancel()
    const newRecognition = new Made()
    recognition = newRecognition
    newRecognition.lang = document.documentElement.lang
    newRecognition.interimResults = true
    newRecognition.onresult = ({ results }) => {
      if (recognition !== newRecognition) return
      onWords([...results].map(([best]) => best?.transcript ?? '').join(''))
      if ([...results].every(({ isFinal }) => isFinal)) onSaid()
    }
    newRecognition.onerror = ({ error }) => {
      if (recognition === newRecognition)
        onFailure(speechFailures[error] ?? `The browser could not listen: ${error}.`)
    }
    newRecognition.onend = () => {
      if (recognition === newRecognition) stopListening()
    }
    setAttribute(speakButton, 'aria-pressed', 'true')
    newRecognition.start()
  }

  speakButton.hidden = Recognition === undefined
  hearButton.hidden = voice === undefined
  byId('speech-note').hidden = speakButton.hidden && hearButton.hidden
  speakButton.addEventListener('click', () => {
    if (recognition !== undefined) stopListening()
    else if (Recognition !== undefined) listen(Recognition)
  })
  hearButton.addEventListener('click', () => {
    hears = !hears
    setAttribute(hearButton, 'aria-pressed', String(hears))
    if (!hears) voice?.cancel()
  })
  return {
    /** Reads a line aloud, where the reader wants to hear. */
    read(text: string) {
      if (hears) voice?.speak(new SpeechSynthesisUtterance(text))
    },
    /** Takes the microphone back and falls silent. */
    stop() {
      stopListening()
      voice?.cancel()
    },
    stopListening,
  }
}

/** The used part of SpeechRecognition, which browsers expose under different names. */
interface Recognition {
  lang: string
  interimResults: boolean
  onresult: ((event: SpeechRecognitionEvent) => void) | null
  onerror: ((event: SpeechRecognitionErrorEvent) => void) | null
  onend: (() => void) | null
  start(): void
  abort(): void
}

declare global {
  interface Window {
    readonly SpeechRecognition?: new () => Recognition
    readonly webkitSpeechRecognition?: new () => Recognition
  }
}

const speechFailures: Readonly<Record<string, string>> = {
  'no-speech': 'The browser recognized no speech.',
  'not-allowed': 'The browser does not let this page use the microphone.',
  'audio-capture': 'The browser has no microphone.',
  network: 'The browser could not reach its speech recognition service.',
}
