export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Direct text; whitespace alone is layout. */
  readonly text: string
  readonly children: readonly Element[]
}

const attribute = /\s+([a-z]+)="([^"<&]*(?:&(?:lt|gt|amp|quot|apos|#x[0-9A-F]+);[^"<&]*)*)"/y
const characters = /(?:[^<&]|&(?:lt|gt|amp|quot|apos|#x[0-9A-F]+);)*/y

/** Parses the subset of XML 1.0 that reports use; throws if it is not well-formed. */
export function parseXml(xml: string): Element {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(xml)
    if (match === null) return undefined
    at = pattern.lastIndex
    return match
  }
  const need = (pattern: RegExp): RegExpExecArray => {
    const match = take(pattern)
    if (match === undefined)
      throw new Error(`not well-formed at ${at}: ${JSON.stringify(xml.slice(at, at + 40))}`)
    return match
  }
  const element = (): Element => {
    const [, name = ''] = need(/<([a-z-]+)/y)
    const attributes: Record<string, string> = {}
    for (let match = take(attribute); match !== undefined; match = take(attribute)) {
      const [, key = '', value = ''] = match
      if (key in attributes) throw new Error(`${key} stands twice`)
      attributes[key] = withoutEntities(value)
    }
    if (take(/\s*\/>/y) !== undefined) return { name, attributes, text: '', children: [] }
    need(/\s*>/y)
    const children: Element[] = []
    let text = ''
    for (;;) {
      const [raw = ''] = need(characters)
      if (raw.includes(']]>')) throw new Error(']]> stands in text')
      text += withoutEntities(raw)
      if (take(new RegExp(`</${name}>`, 'y')) !== undefined) break
      children.push(element())
    }
    return { name, attributes, text: children.length > 0 && text.trim() === '' ? '' : text, children }
  }
  need(/<\?xml version="1\.0" encoding="UTF-8"\?>\n/y)
  const root = element()
  need(/\n$/y)
  return root
}

function withoutEntities(raw: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
  return raw.replaceAll(/&([a-z]+|#x[0-9A-F]+);/g, (_, name: string) =>
    name.startsWith('#x') ? String.fromCodePoint(Number.parseInt(name.slice(2), 16)) : (entities[name] ?? ''),
  )
}
