import { byId, element, setAttribute, setText } from './dom.ts'
import { destination } from './page-model.ts'

interface Row<Item> {
  readonly row: HTMLElement
  /** Called with each version of the item, the first one too. */
  update?(item: Item): void
}

/** Renders one row per item in this order and returns the rows. Existing rows are reused, so that focus and open parts stay. */
export function createRows<Item>(
  list: HTMLElement,
  keyOf: (item: Item) => unknown,
  createRow: (item: Item) => Row<Item>,
): (items: readonly Item[]) => HTMLElement[] {
  const rows = new Map<unknown, Row<Item>>()
  return items => {
    const keys = new Set(items.map(keyOf))
    for (const [key, { row }] of rows) {
      if (keys.has(key)) continue
      row.remove()
      rows.delete(key)
    }
    let next = list.firstElementChild
    return items.map(item => {
      const itemRow = rows.get(keyOf(item)) ?? createRow(item)
      rows.set(keyOf(item), itemRow)
      itemRow.update?.(item)
      const { row } = itemRow
      if (row === next) next = next.nextElementSibling
      else list.insertBefore(row, next)
      return row
    })
  }
}

/** Arrow keys lead from one stop in a list to another, with which `onStop` is called before it has the focus. */
export function followArrows<Stop extends HTMLElement | SVGElement>(
  list: HTMLElement,
  stopsNow: () => readonly Stop[],
  onStop: (stop: Stop) => void,
): void {
  list.addEventListener('keydown', event => {
    const stops = stopsNow()
    const { target } = event
    const index = target === null ? -1 : (stops as readonly EventTarget[]).indexOf(target)
    if (index === -1 || event.altKey || event.ctrlKey || event.metaKey) return
    const stop = stops[destination(event.key, index, stops.length) ?? -1]
    if (stop === undefined) return
    onStop(stop)
    stop.focus()
    event.preventDefault()
  })
}

/** Only this one is reached by Tab. */
export function setStop(stops: readonly Element[], stop: Element | undefined): void {
  for (const other of stops) setAttribute(other, 'tabindex', other === stop ? '0' : '-1')
}

interface RowListOptions<Item> {
  /** Id of the list; its button for more rows is `more-<id>`. */
  readonly id: string
  /** Rows that the button draws: `earlier`. */
  readonly others: string
  /** Distinguishes items, and versions of an item. */
  keyOf(item: Item): string | number
  createRow(item: Item): Row<Item>
}

/** Rows that open, a hundred at once: one stop for Tab, arrows inside. */
export function createRowList<Item>({ id, others, keyOf, createRow }: RowListOptions<Item>) {
  const list = byId(id)
  const more = byId(`more-${id}`)
  const arrange = createRows(list, keyOf, createRow)
  let visibleItems: readonly Item[] = []
  let room = rowsAtOnce

  const stopsNow = () => [...list.querySelectorAll<HTMLButtonElement>(':scope > li > button')]
  const draw = (items: readonly Item[]) => {
    visibleItems = items
    arrange(items.slice(0, room))
    const stops = stopsNow()
    if (!stops.some(({ tabIndex }) => tabIndex === 0)) setStop(stops, stops[0])
    more.hidden = items.length <= room
    setText(more, `Show ${Math.min(items.length - room, rowsAtOnce)} ${others}`)
  }

  more.addEventListener('click', () => {
    room += rowsAtOnce
    draw(visibleItems)
  })
  followArrows(list, stopsNow, stop => setStop(stopsNow(), stop))
  return {
    draw,
    clear() {
      room = rowsAtOnce
      arrange([])
    },
  }
}

const rowsAtOnce = 100

/** Returns a row that expands to the content of `open`, which is created on first use. `beside` is at the end of its line. */
export function openingRow<Tag extends 'li' | 'div' = 'li'>(
  id: string,
  parts: readonly Node[],
  open: () => HTMLElement,
  { tag = 'li' as Tag, beside = [] }: { readonly tag?: Tag; readonly beside?: readonly Node[] } = {},
): HTMLElementTagNameMap[Tag] {
  const button = element('button', { type: 'button', 'aria-expanded': 'false', tabindex: '-1' }, ...parts)
  const row = element(tag, { class: 'event' }, button, ...beside)
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
