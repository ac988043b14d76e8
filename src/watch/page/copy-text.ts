import { element } from './dom.ts'

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
