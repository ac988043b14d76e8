/** Description of an element of HTML or SVG. Tags and names of attributes are our own; texts and values are untrusted. */
export interface DrawnElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (DrawnElement | string)[]
}

export function drawn(
  tag: string,
  attributes: DrawnElement['attributes'],
  ...children: DrawnElement['children']
): DrawnElement {
  return { tag, attributes, children }
}
