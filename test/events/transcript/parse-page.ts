/** An element, or text; comments, scripts and anything that a page of ours never has are errors. */
export interface PageElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (PageElement | string)[]
}

const voidElements = ['meta']

/**
 * A strict parser for the HTML that we write: quoted attributes, elements that are closed in order, no character that
 * could be read in two ways. It throws on anything else, so text that became markup does not pass.
 */
export function parsePage(html: string): PageElement {
  const doctype = '<!doctype html>\n'
  if (!html.startsWith(doctype)) throw new Error('no doctype')
  const root: PageElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  const token = /<style>([^<]*)<\/style>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>|([^<>]+)|([\s\S])/gy
  token.lastIndex = doctype.length
  for (let match = token.exec(html); match !== null; match = token.exec(html)) {
    const [whole, style, slash, name, attributes = '', text] = match
    const parent = open.at(-1)
    if (parent === undefined) throw new Error('something after the end')
    if (style !== undefined) parent.children.push({ name: 'style', attributes: {}, children: [style] })
    else if (text !== undefined) parent.children.push(decode(text))
    else if (name === undefined) throw new Error(`stray ${JSON.stringify(whole)} at ${match.index}`)
    else if (slash === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing at ${match.index}`)
    } else {
      const element = { name, attributes: readAttributes(attributes), children: [] }
      parent.children.push(element)
      if (!voidElements.includes(name)) open.push(element)
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)?.name}> is not closed`)
  return root
}

/** Finds elements by a predicate, in order. */
export function findAll(element: PageElement, matches: (element: PageElement) => boolean): PageElement[] {
  const inner = element.children.flatMap(child => (typeof child === 'string' ? [] : findAll(child, matches)))
  return matches(element) ? [element, ...inner] : inner
}

export function textOf({ children }: PageElement): string {
  return children.map(child => (typeof child === 'string' ? child : textOf(child))).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#96;': '`',
}

function decode(text: string): string {
  return text.replace(/&[^;]*;?/g, entity => {
    const character = entities[entity]
    if (character === undefined) throw new Error(`unknown entity ${entity}`)
    return character
  })
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decode(value)]),
  )
}
