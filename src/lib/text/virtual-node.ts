/** Description of an element of HTML or SVG. Tags and names of attributes are our own; texts and values are untrusted. */
export interface VNode {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (VNode | string)[]
}

export function h(tag: string, attributes: VNode['attributes'], ...children: VNode['children']): VNode {
  return { tag, attributes, children }
}
