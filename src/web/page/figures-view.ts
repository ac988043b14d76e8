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
  const container = byId('figures')
  const note = byId('figures-note')
  let drawnVersion: number | undefined
  let latestVersion: number | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isWaiting = false

  const read = async () => {
    drawnVersion = latestVersion
    try {
      replaceDrawing(container, (await load()).drawing)
      setText(note, '')
    } catch (error) {
      setText(note, pageFailure(error, server))
    }
    readAt = performance.now()
    isWaiting = false
    schedule()
  }
  const schedule = () => {
    if (isWaiting || latestVersion === drawnVersion) return
    isWaiting = true
    window.setTimeout(() => void read(), Math.max(0, readAt + minIntervalMs - performance.now()))
  }
  container.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLElement>('[data-call]') : null
    if (link?.dataset.call !== undefined) openCall(link.dataset.call)
  })
  return {
    /** Redraws the figures if they have changed. */
    draw(version: number) {
      latestVersion = version
      schedule()
    },
  }
}

/** Milliseconds between two readings. */
const minIntervalMs = 3000

/** Replaces a drawing. What the reader opened stays open, and the focus where it was. */
export function replaceDrawing(container: HTMLElement, drawing: readonly VNode[]): void {
  const before = [...container.querySelectorAll('details')].map(({ open }) => open)
  const focused = focusable(container).findIndex(part => part.matches(':focus'))
  container.replaceChildren(...drawing.map(node => renderVNode(node)))
  for (const [index, part] of container.querySelectorAll('details').entries())
    part.open = before[index] === true
  focusable(container)[focused]?.focus()
}

function focusable(container: HTMLElement): HTMLElement[] {
  return [...container.querySelectorAll<HTMLElement>('summary, button')]
}
