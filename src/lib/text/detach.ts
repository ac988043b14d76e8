/** Returns a copy of a text, which does not keep the text that it was cut from in memory, as V8 does from 13 characters. */
export function detach(text: string): string {
  return String(JSON.parse(JSON.stringify(text)))
}
