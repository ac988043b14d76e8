import { byId } from './dom.ts'

/** Asks `find` which calls a query leaves, twice a second at most. Escape clears the search. */
export function createSearchBox(find: (query: string) => Promise<readonly number[]>, onFound: () => void) {
  const field = byId('search', HTMLInputElement)
  let matchingKeys: ReadonlySet<number> | undefined
  let timer: number | undefined
  let asking = 0

  const ask = async () => {
    timer = undefined
    const query = field.value.trim()
    const number = ++asking
    if (query === '') return
    const keys = await find(query)
    // A later search may have completed first.
    if (number !== asking) return
    matchingKeys = new Set(keys)
    onFound()
  }
  const schedule = (wait: number) => {
    // The connection status already reports failures.
    if (timer === undefined) timer = window.setTimeout(() => void ask().catch(() => undefined), wait)
  }
  const changed = () => {
    if (field.value.trim() !== '') return schedule(100)
    asking++
    matchingKeys = undefined
    onFound()
  }

  field.addEventListener('input', changed)
  document.addEventListener('keydown', event => {
    const { key } = event
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (key === 'Escape' && field.value !== '' && isShown(field)) {
      event.preventDefault()
      field.value = ''
      changed()
    }
  })
  return {
    clear() {
      field.value = ''
      changed()
      field.focus()
    },
    /** Calls that the search leaves; undefined when nothing is searched for. */
    get matchingKeys() {
      return matchingKeys
    },
    /** The words as they were typed. */
    get query() {
      return field.value.trim()
    },
    /** The calls have changed: what was found may no longer be all. */
    calls() {
      if (field.value.trim() !== '') schedule(500)
    },
  }
}

function isShown(part: HTMLElement): boolean {
  return part.offsetParent !== null
}

/** Highlights the words of a search in an element without changing the DOM. */
export function markFound(within: Element, query: string): void {
  if (typeof Highlight === 'undefined') return
  CSS.highlights.delete('found')
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return
  const ranges: Range[] = []
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null && ranges.length < maxMarks; node = texts.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    // Lower case of another length would mark something else.
    if (text.length !== node.textContent?.length) continue
    for (const word of words) {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        ranges.push(range)
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges))
}

const maxMarks = 1000
