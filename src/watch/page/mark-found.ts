/** Marks the words of a search where they stand in an element, without a change to the page. */
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
