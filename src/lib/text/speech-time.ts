const charactersPerSecond = 15
const minSpeechMs = 400

/** Milliseconds that it takes to say a text. */
export function speechTime(text: string): number {
  return Math.max(minSpeechMs, Math.round((text.length / charactersPerSecond) * 1000))
}
