import { speechTime } from '../../lib/text/speech-time.ts'

/** interface.md 2.3 as far as text can carry it. Times are milliseconds. */
export interface TurnTaking {
  /** The caller reads the assistant's words as they are made, and can stop them. */
  readonly typed: boolean
  /** startSpeakingOptions: how long the assistant waits after the caller's last word. */
  readonly wait: {
    readonly always: number
    readonly afterPunctuation: number
    readonly afterNumber: number
    readonly afterOther: number
  }
  /** stopSpeakingOptions: this many words of the caller stop the assistant; with 0 words, this long a voice. */
  readonly bargeIn: { readonly words: number; readonly voice: number }
  /** userInterruptionAckPlan: said after an interruption within the first `words` words, at most `count` times. */
  readonly acknowledgement:
    | { readonly count: number; readonly words: number; readonly phrases: readonly string[] }
    | undefined
}

/** Returns the time that the assistant waits before it replies to this line. */
export function waitBeforeReply(line: string, { wait }: TurnTaking): number {
  const { always, afterNumber, afterPunctuation, afterOther } = wait
  const end = line.trimEnd()
  if (/\p{N}[.!?]?$/u.test(end)) return always + afterNumber
  return always + (/[.!?…。！？]["'”’)]*$/u.test(end) ? afterPunctuation : afterOther)
}

/** After how much of this line the assistant falls silent; undefined: the line is too short for that. */
export function bargeInAfter(line: string, turnTaking: TurnTaking): number | undefined {
  const { words, voice } = turnTaking.bargeIn
  const wordCount = wordsOf(line).length
  const needed = words > 0 ? (speechTime(line) * words) / wordCount : voice
  if (words > 0 ? wordCount < words : speechTime(line) < voice) return undefined
  return Math.round(needed)
}

/** The words of a text that were heard when it was cut off after `elapsed`. */
export function heardWithin(text: string, elapsed: number): string {
  const words = wordsOf(text)
  const share = Math.min(1, elapsed / speechTime(text))
  return share === 1 ? text : words.slice(0, Math.floor(words.length * share)).join(' ')
}

/** The filler phrase for an interruption after these words; `before` were acknowledged already. */
export function acknowledge(
  heard: string,
  before: number,
  { acknowledgement }: TurnTaking,
): string | undefined {
  if (acknowledgement === undefined) return undefined
  const { count, words, phrases } = acknowledgement
  if (before >= count || wordsOf(heard).length > words) return undefined
  return phrases[before % phrases.length]
}

function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? []
}
