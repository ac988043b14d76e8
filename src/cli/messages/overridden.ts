import { oneLine } from '../../lib/text/escape.ts'
import type { Overridden } from '../../project/index.ts'

/** `tool/book is 6650f0c2 now; it was t1`, `forgot tool/book, which was t1`. */
export function overriddenText(overridden: Overridden): string {
  return oneLine(sentence(overridden))
}

function sentence(overridden: Overridden): string {
  const { name } = overridden
  switch (overridden.code) {
    case 'adopted-entries':
      return `${name} has the entries of ${overridden.former} now`
    case 'adopted': {
      const { id, holder, former } = overridden
      return [
        `${name} is ${id} now`,
        ...(holder === undefined ? [] : [`that was ${holder}`]),
        ...(former === undefined || former === id ? [] : [`it was ${former}`]),
      ].join('; ')
    }
    case 'forgot-entry':
      return `forgot ${name}${overridden.id === undefined ? '' : `, which was ${overridden.id}`}`
    case 'forgot-creation': {
      const left = overridden.id === undefined ? '' : `, which is ${overridden.id} still`
      return `forgot the unanswered creation of ${name}${left}`
    }
    case 'forgot-batch':
      return `forgot the unanswered entries of ${name}`
    case 'forgot-entries': {
      const { ids } = overridden
      return `forgot the entries of ${name}${ids.length === 0 ? '' : `, which were ${ids.join(', ')}`}`
    }
    case 'forgot': {
      const { id, earlier } = overridden
      const before = earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`
      return `forgot ${name}, which was ${id ?? 'not made yet'}${before}`
    }
  }
}
