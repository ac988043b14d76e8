import { byId, setAttribute } from '../dom.ts'

export interface BrowserSpeech {
  /** Reads a line aloud, where the reader wants to hear. */
  read(text: string): void
  /** Takes the microphone back and falls silent. */
  stop(): void
  stopListening(): void
}

export interface SpeechHandlers {
  /** What was understood so far. */
  onWords(text: string): void
  /** The words are complete. */
  onSaid(): void
  /** The browser could not listen. */
  onFailure(reason: string): void
}

/**
 * The browser's own speech (Web Speech API): a button to speak and one to hear, each where the browser has what it takes.
 * The browser may send sound and words to its maker; the page sends them nowhere.
 */
export function createSpeech({ onWords, onSaid, onFailure }: SpeechHandlers): BrowserSpeech {
  const speakButton = byId('speak', HTMLButtonElement)
  const hearButton = byId('hear', HTMLButtonElement)
  const Recognition = recognitionOf(window)
  const voice: SpeechSynthesis | undefined = 'speechSynthesis' in window ? window.speechSynthesis : undefined
  let hears = false
  let recognition: Recognition | undefined

  const stopListening = () => {
    recognition?.abort()
    recognition = undefined
    setAttribute(speakButton, 'aria-pressed', 'false')
  }
  const listen = (Made: new () => Recognition) => {
    // What the assistant says would be taken for the caller's words.
    voice?.cancel()
    const made = new Made()
    recognition = made
    made.lang = document.documentElement.lang
    made.interimResults = true
    made.onresult = ({ results }) => {
      if (recognition !== made) return
      onWords([...results].map(([best]) => best?.transcript ?? '').join(''))
      if ([...results].every(({ isFinal }) => isFinal)) onSaid()
    }
    made.onerror = ({ error }) => {
      if (recognition === made) onFailure(failureWords[error] ?? `The browser could not listen: ${error}.`)
    }
    made.onend = () => {
      if (recognition === made) stopListening()
    }
    setAttribute(speakButton, 'aria-pressed', 'true')
    made.start()
  }

  speakButton.hidden = Recognition === undefined
  hearButton.hidden = voice === undefined
  byId('speech-note', HTMLElement).hidden = speakButton.hidden && hearButton.hidden
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
    read(text) {
      if (hears) voice?.speak(new SpeechSynthesisUtterance(text))
    },
    stop() {
      stopListening()
      voice?.cancel()
    },
    stopListening,
  }
}

/** What the page uses of SpeechRecognition; the browsers that have it differ in its name. */
interface Recognition {
  lang: string
  interimResults: boolean
  onresult:
    | ((event: { readonly results: ArrayLike<RecognitionResult> & Iterable<RecognitionResult> }) => void)
    | null
  onerror: ((event: { readonly error: string }) => void) | null
  onend: (() => void) | null
  start(): void
  abort(): void
}

interface RecognitionResult extends Iterable<{ readonly transcript: string }> {
  readonly isFinal: boolean
}

declare global {
  interface Window {
    readonly SpeechRecognition?: new () => Recognition
    readonly webkitSpeechRecognition?: new () => Recognition
  }
}

function recognitionOf({ SpeechRecognition, webkitSpeechRecognition }: Window) {
  return SpeechRecognition ?? webkitSpeechRecognition
}

const failureWords: Readonly<Record<string, string>> = {
  'no-speech': 'The browser heard nothing.',
  'not-allowed': 'The browser does not let this page use the microphone.',
  'audio-capture': 'The browser has no microphone.',
  network: 'The browser could not reach what understands speech for it.',
}
