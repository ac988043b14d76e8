import { toJsonDocument } from '../../lib/text/escape.ts'
import { element } from './dom.ts'

/** A value as indented JSON, a text as it is. Tab leads to it, for it may scroll. */
export function textBlock(name: string, value: unknown): HTMLPreElement {
  return element('pre', { tabindex: '0', 'aria-label': name }, shownText(value))
}

/** The beginning of what `textBlock` shows, and how much is left out. */
export function shownText(value: unknown): string {
  const document = typeof value === 'string' ? value : indented(value)
  return document.length <= maxShownLength
    ? document
    : `${document.slice(0, maxShownLength)}\n… ${document.length - maxShownLength} characters more`
}

/** JSON.parse takes nesting of any depth, JSON.stringify does not. */
function indented(value: unknown): string {
  try {
    return toJsonDocument(value)
  } catch {
    return 'This is nested too deeply to be shown.'
  }
}

const maxShownLength = 200_000
