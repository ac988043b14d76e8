import { localDate, timeOfDay } from '../../lib/text/date-time.ts'
import { escapeForTerminal, toJsonDocument } from '../../lib/text/escape.ts'
import type { VNode } from '../../lib/text/virtual-node.ts'

/** Makes an element. Every string is hostile and becomes text: nothing here reads HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, harmless(value))
  created.append(...children.map(child => (typeof child === 'string' ? harmless(child) : child)))
  return created
}

const svg = 'http://www.w3.org/2000/svg'

/** Creates the elements of a drawing with the same escaping. */
export function renderVNode({ tag, attributes, children }: VNode, isInSvg = false): Element {
  const isSvg = isInSvg || tag === 'svg'
  const created = isSvg ? document.createElementNS(svg, tag) : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, harmless(value))
  created.append(
    ...children.map(child => (typeof child === 'string' ? harmless(child) : renderVNode(child, isSvg))),
  )
  return created
}

/** Replaces the text of an element; leaves one alone that says the same already. */
export function setText(target: Element, text: string): void {
  const safeText = harmless(text)
  if (target.textContent !== safeText) target.textContent = safeText
}

/** Sets the title of the page if it differs. */
export function setTitle(title: string): void {
  const safeText = harmless(title)
  if (document.title !== safeText) document.title = safeText
}

/** Sets an attribute if it differs. */
export function setAttribute(target: Element, name: string, value: string): void {
  const safeText = harmless(value)
  if (target.getAttribute(name) !== safeText) target.setAttribute(name, safeText)
}

/** An element of page.html. */
export function byId(id: string): HTMLElement
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type
export function byId(id: string, type = HTMLElement): HTMLElement {
  const match = document.getElementById(id)
  if (match instanceof type) return match
  throw new Error(`the page has no ${id}`)
}

/** Control and bidi characters can spoof a page as they can a terminal. */
function harmless(text: string): string {
  return escapeForTerminal(text, { allowedCharacters: '\n\t' })
}

/** Puts a text on the clipboard, and what to tell about it; where the browser refuses, a field with the text. */
export async function copyText(text: string, name: string): Promise<HTMLElement[]> {
  try {
    await navigator.clipboard.writeText(text)
    return [element('p', {}, 'Copied.')]
  } catch {
    const field = element('textarea', { readonly: '', 'aria-label': name })
    field.value = text
    return [element('p', {}, 'The browser does not let this page copy. The text:'), field]
  }
}

/** An id that is copied when it is clicked. */
export function chip(id: string, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const notice = element('span', { class: 'faint', role: 'status' })
  const button = element('button', { type: 'button', class: 'chip', title: `Copy ${id}`, ...attributes }, id)
  button.addEventListener('click', async event => {
    event.stopPropagation()
    notice.replaceChildren(...(await copyText(id, 'Id')))
  })
  return element('span', { class: 'copy-id' }, button, notice)
}

/** Why something did not work, for the reader of the page. */
export function pageFailure(error: unknown, server: 'tail' | 'sandbox'): string {
  if (error instanceof TypeError) return `The ${server} cannot be reached.`
  return String(error instanceof Error ? error.message : error)
}

/** Runs `draw` in the next frame, once for all that asked for it since the last. */
export function oncePerFrame(draw: () => void): () => void {
  let drawing = false
  return () => {
    if (drawing) return
    drawing = true
    requestAnimationFrame(() => {
      drawing = false
      draw()
    })
  }
}

/** A time as the page shows every time: by the clock of this machine, in ISO 8601 on hover. Milliseconds since the epoch. */
export function timeElement(at: number): HTMLTimeElement {
  const iso = new Date(at).toISOString()
  return element('time', { datetime: iso, title: iso }, timeOfDay(at))
}

/** Returns an age, with the full time on hover. */
export function ageElement(at: number, age: string): HTMLTimeElement {
  const time = timeElement(at)
  setText(time, age)
  return time
}

/** The same with its day. */
export function dateTimeElement(at: number): HTMLTimeElement {
  const time = timeElement(at)
  time.prepend(`${localDate(at)} `)
  return time
}

/** A value as indented JSON, a text as it is. Tab leads to it, for it may scroll. */
export function textBlock(name: string, value: unknown): HTMLPreElement {
  return element('pre', { tabindex: '0', 'aria-label': name }, toDisplayText(value))
}

/** The beginning of what `textBlock` shows, and how much is left out. */
function toDisplayText(value: unknown): string {
  const document = typeof value === 'string' ? value : toJsonDocument(value)
  return document.length <= maxShownLength
    ? document
    : `${document.slice(0, maxShownLength)}\n… ${document.length - maxShownLength} characters more`
}

const maxShownLength = 200_000
