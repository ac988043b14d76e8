import type { VNode } from '../../lib/text/virtual-node.ts'
import type { ShownFigures } from '../wire.ts'
import { byId, pageFailure, renderVNode, setText } from './dom.ts'

interface FiguresOptions {
  readonly server: 'tail' | 'sandbox'
  load(): Promise<ShownFigures>
  /** Leads to a call by the text of its button. */
  openCall(call: string): void
}

/** The figures of all calls, read again while they change and are shown. */
export function createFiguresView({ server, load, openCall }: FiguresOptions) {
  const place = byId('figures')
  const note = byId('figures-note')
  let drawn: number | undefined
  let wanted: number | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isWaiting = false

  const read = async () => {
    drawn = wanted
    try {
      replaceDrawing(place, (await load()).drawing)
      setText(note, '')
    } catch (error) {
      setText(note, pageFailure(error, server))
    }
    readAt = performance.now()
    isWaiting = false
    schedule()
  }
  const schedule = () => {
    if (isWaiting || wanted === drawn) return
    isWaiting = true
    window.setTimeout(() => void read(), Math.max(0, readAt + minIntervalMs - performance.now()))
  }
  place.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLElement>('[data-call]') : null
    if (link?.dataset.call !== undefined) openCall(link.dataset.call)
  })
  return {
    /** Redraws the figures if they have changed. */
    draw(version: number) {
      wanted = version
      schedule()
    },
  }
}

/** Milliseconds between two readings. */
const minIntervalMs = 3000

/** Replaces a drawing. What the reader opened stays open, and the focus where it was. */
export function replaceDrawing(place: HTMLElement, drawing: readonly VNode[]): void {
  const before = [...place.querySelectorAll('details')].map(({ open }) => open)
  const focused = focusable(place).findIndex(part => part.matches(':focus'))
  place.replaceChildren(...drawing.map(each => renderVNode(each)))
  for (const [index, part] of place.querySelectorAll('details').entries()) part.open = before[index] === true
  focusable(place)[focused]?.focus()
}

function focusable(place: HTMLElement): HTMLElement[] {
  return [...place.querySelectorAll<HTMLElement>('summary, button')]
}
