import { stripVTControlCharacters } from 'node:util'

export interface AttributedLine {
  /** Short id of the call, as shown; undefined if the line does not tell. */
  readonly call: string | undefined
  /** Speaker and words, or what a status line says. */
  readonly words: string
  /** Column at which the speaker begins; undefined for other lines. */
  readonly column?: number
}

/**
 * Attributes printed lines to calls as a reader does who sees nothing else: a tag in front of the speaker is the call, and lines
 * without one belong to the call that a line names last (`── CC-66ec90c7 · ongoing`).
 */
export function attributeLines(printed: string): AttributedLine[] {
  let named: string | undefined
  return stripVTControlCharacters(printed)
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name, rest = ''] = /^── (\S+)(.*)$/.exec(line) ?? []
      if (name !== undefined) {
        named = name
        return { call: name, words: rest.trim() }
      }
      const spoken = /^(?:(\S+) +)?((?:user|assistant) {2,}\S.*)$/.exec(line)
      if (spoken === null) return { call: named, words: line.trim() }
      const [, tag, words = ''] = spoken
      return { call: tag ?? named, words, column: line.length - words.length }
    })
}
