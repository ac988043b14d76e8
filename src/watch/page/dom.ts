import { escapeForTerminal } from '../../lib/text/escape.ts'

/** Makes an element. Every string is hostile and becomes text: nothing here reads HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, harmless(value))
  made.append(...children.map(child => (typeof child === 'string' ? harmless(child) : child)))
  return made
}

/** Replaces the text of an element; leaves one alone that says the same already. */
export function setText(target: Element, text: string): void {
  const shown = harmless(text)
  if (target.textContent !== shown) target.textContent = shown
}

/** As setText, for an attribute. */
export function setAttribute(target: Element, name: string, value: string): void {
  const shown = harmless(value)
  if (target.getAttribute(name) !== shown) target.setAttribute(name, shown)
}

/** An element of page.html. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`the page has no ${id}`)
}

/** Control and bidi characters can spoof a page as they can a terminal. */
function harmless(text: string): string {
  return escapeForTerminal(text, { keep: '\n\t' })
}
