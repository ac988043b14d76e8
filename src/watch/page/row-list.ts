import { element, setAttribute, setText } from './dom.ts'
import { destination } from './page-model.ts'

export interface RowList<Item> {
  /** Draws these, in this order; rows that are there already are not touched. */
  draw(items: readonly Item[]): void
  clear(): void
}

export interface RowListOptions<Item> {
  readonly list: HTMLElement
  /** Draws more rows when it is pressed. */
  readonly more: HTMLButtonElement
  /** Of rows that `more` draws: `earlier`. */
  readonly others: string
  /** Tells items apart, and an item from what it was before. */
  keyOf(item: Item): string | number
  rowOf(item: Item): HTMLLIElement
}

/** Rows that open, a hundred at once: one stop for Tab, arrows inside. */
export function createRowList<Item>(options: RowListOptions<Item>): RowList<Item> {
  const { list, more, others, keyOf, rowOf } = options
  const rows = new Map<string | number, HTMLLIElement>()
  let shown: readonly Item[] = []
  let room = rowsAtOnce

  const stopsNow = () => [...list.querySelectorAll<HTMLButtonElement>(':scope > li > button')]
  const draw = (items: readonly Item[]) => {
    shown = items
    const visible = items.slice(0, room).map(item => ({ key: keyOf(item), item }))
    const keys = new Set(visible.map(({ key }) => key))
    for (const [key, row] of rows) {
      if (keys.has(key)) continue
      row.remove()
      rows.delete(key)
    }
    let next = list.firstElementChild
    for (const { key, item } of visible) {
      const row = rows.get(key) ?? rowOf(item)
      rows.set(key, row)
      if (row === next) next = next.nextElementSibling
      else list.insertBefore(row, next)
    }
    const stops = stopsNow()
    if (!stops.some(({ tabIndex }) => tabIndex === 0) && stops[0] !== undefined) stops[0].tabIndex = 0
    more.hidden = items.length <= room
    setText(more, `Show ${Math.min(items.length - room, rowsAtOnce)} ${others}`)
  }

  more.addEventListener('click', () => {
    room += rowsAtOnce
    draw(shown)
  })
  list.addEventListener('keydown', event => {
    const stops = stopsNow()
    const place = event.target instanceof HTMLButtonElement ? stops.indexOf(event.target) : -1
    if (place === -1 || event.altKey || event.ctrlKey || event.metaKey) return
    const stop = stops[destination(event.key, place, stops.length) ?? -1]
    if (stop === undefined) return
    for (const other of stops) other.tabIndex = other === stop ? 0 : -1
    stop.focus()
    event.preventDefault()
  })
  return {
    draw,
    clear() {
      room = rowsAtOnce
      list.replaceChildren()
      rows.clear()
    },
  }
}

const rowsAtOnce = 100

/** A row that opens to what `open` makes when it is opened first. */
export function openingRow(id: string, parts: readonly Node[], open: () => HTMLElement): HTMLLIElement {
  const button = element('button', { type: 'button', 'aria-expanded': 'false', tabindex: '-1' }, ...parts)
  const row = element('li', { class: 'event' }, button)
  let panel: HTMLElement | undefined
  button.addEventListener('click', () => {
    const opens = button.getAttribute('aria-expanded') !== 'true'
    button.setAttribute('aria-expanded', String(opens))
    if (panel === undefined) {
      panel = open()
      panel.id = id
      setAttribute(button, 'aria-controls', id)
      row.append(panel)
    }
    panel.hidden = !opens
  })
  return row
}
