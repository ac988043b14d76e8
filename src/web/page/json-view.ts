import { count } from '../../lib/text/count.ts'
import { toJsonLine } from '../../lib/text/escape.ts'
import { truncate } from '../../lib/text/truncate.ts'
import { element, textBlock } from './dom.ts'
import {
  countChanges,
  isContainer,
  type JsonChild,
  listChildren,
  type Mark,
  unknownBefore,
} from './json-changes.ts'

/**
 * A JSON document whose objects and lists fold. With `before` it marks what was added, changed and removed since, and only what
 * changed is open. Anything but an object or a list is shown as text.
 */
export function jsonView(name: string, value: unknown, before: unknown = unknownBefore): HTMLElement {
  if (!isContainer(value)) return textBlock(name, value)
  const root = jsonNode({ key: undefined, value, mark: undefined, before }, 0, isSmall(value))
  return element('div', { class: 'json', role: 'group', tabindex: '0', 'aria-label': name }, root)
}

/** Summarizes the changes: `2 added, 1 changed`. */
export function changeWords(value: unknown, before: unknown): string {
  const counts = countChanges(value, before)
  const parts = (['added', 'changed', 'removed'] as const).flatMap(mark =>
    counts[mark] === 0 ? [] : [`${counts[mark]} ${mark}`],
  )
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}

/** Fills the fold of an object or a list, which is empty until it is opened first. */
const fills = new WeakMap<Element, () => void>()

/** Opens all folds but deep ones, as for print. */
export function unfold(within: ParentNode): void {
  for (let opened = 0; opened < maxUnfolded; opened++) {
    const fold = within.querySelector<HTMLDetailsElement>('.json details:not([open], [data-deep])')
    if (fold === null) return
    fills.get(fold)?.()
    fold.open = true
  }
}

const maxUnfolded = 2000

function jsonNode(child: JsonChild, depth: number, openAll: boolean): HTMLElement {
  const { key, value, mark } = child
  if (!isContainer(value) || Object.keys(value).length === 0) return leaf(child)
  const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const size = Object.keys(value).length
  const amount = Array.isArray(value) ? count(size, 'item') : count(size, 'field')
  const fold = element(
    'details',
    {},
    element(
      'summary',
      {},
      ...marked(mark),
      `${nameOf(key)}${start}`,
      element('span', { class: 'faint amount' }, ` ${amount}`),
    ),
  )
  let isFilled = false
  const fill = () => {
    if (isFilled) return
    isFilled = true
    // What was added or removed as a whole is marked once.
    const was = mark === 'added' || mark === 'removed' ? unknownBefore : child.before
    const body = element('div', { class: 'json-body' })
    fold.append(body, element('div', {}, end))
    showMore(body, listChildren(value, was), part => jsonNode(part, depth + 1, openAll))
  }
  fills.set(fold, fill)
  if (depth > maxOpenDepth) fold.dataset.deep = ''
  fold.addEventListener('toggle', fill)
  if (isOpen(child, depth, openAll)) {
    fill()
    fold.open = true
  }
  if (mark !== undefined) fold.dataset.mark = mark
  return fold
}

function isOpen({ mark, before }: JsonChild, depth: number, openAll: boolean): boolean {
  if (depth > maxOpenDepth) return false
  if (before === unknownBefore) return openAll || depth < 2
  return depth === 0 || mark === 'changed' || (mark === 'added' && openAll)
}

/** Deeper folds wait for a click: a body may nest too deep for recursive calls, or for a browser to print. */
const maxOpenDepth = 50

/** Adds a number of parts, and a button for the others. */
function showMore(body: HTMLElement, parts: readonly JsonChild[], toNode: (part: JsonChild) => Node): void {
  body.append(...parts.slice(0, partsAtOnce).map(toNode))
  const rest = parts.slice(partsAtOnce)
  if (rest.length === 0) return
  const more = element('button', { type: 'button', class: 'more' }, `Show ${rest.length} more`)
  more.addEventListener('click', () => {
    more.remove()
    showMore(body, rest, toNode)
  })
  body.append(more)
}

const partsAtOnce = 200

function leaf({ key, value, mark, before }: JsonChild): HTMLElement {
  const line = element('div', {}, ...marked(mark), `${nameOf(key)}${formatValue(value)}`)
  if (mark === 'changed') line.append(element('span', { class: 'faint' }, `  was ${excerpt(before)}`))
  if (mark !== undefined) line.dataset.mark = mark
  return line
}

/** The sign of a mark is drawn by the style sheet, its word read out. */
function marked(mark: Mark | undefined): HTMLElement[] {
  return mark === undefined ? [] : [element('span', { class: 'unseen' }, `${mark}: `)]
}

function nameOf(key: string | undefined): string {
  return key === undefined ? '' : `${toJsonLine(key)}: `
}

function formatValue(value: unknown): string {
  const text = toJsonLine(value)
  if (text.length <= maxTextLength) return text
  return `${text.slice(0, maxTextLength).toWellFormed()} … ${text.length - maxTextLength} characters more`
}

const maxTextLength = 20_000

function excerpt(value: unknown): string {
  if (isContainer(value)) return Array.isArray(value) ? '[…]' : '{…}'
  return truncate(formatValue(value), maxExcerptLength)
}

const maxExcerptLength = 200

/** True for a document that fits a screen when all of it is open. */
function isSmall(value: unknown): boolean {
  let left = maxSmall
  const visit = (node: unknown) => {
    left -= 1
    if (left > 0 && isContainer(node)) for (const part of Object.values(node)) if (left > 0) visit(part)
  }
  visit(value)
  return left > 0
}

const maxSmall = 40
