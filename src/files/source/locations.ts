import type { FieldPath } from '../../interface/finding.ts'
import { lazy } from '../../lib/lazy.ts'
import type { FieldOffsets } from './diagnostic.ts'

/** Offsets of the fields and items of a document, by the mapping or list. A reader adds them while it builds the value. */
export class Locations {
  start: number | undefined
  /** Name, offset of the key and offset of the value of each field: an object for each would take as much memory as the text. */
  readonly #fields = new Map<unknown, unknown[]>()

  add(parent: object, name: string | number, key: number | undefined, value: number | undefined): void {
    const fields = this.#fields.get(parent)
    if (fields === undefined) this.#fields.set(parent, [name, key, value])
    else fields.push(name, key, value)
  }

  /** Returns the first of duplicate fields. */
  find(parent: unknown, name: string | number) {
    const fields = this.#fields.get(parent) ?? []
    const index = Array.isArray(parent) ? Number(name) * 3 : fields.indexOf(name)
    if (fields[index] !== name) return undefined
    const [key, value] = fields.slice(index + 1, index + 3) as (number | undefined)[]
    return { key, value }
  }
}

/** The start of an unquoted scalar that may be a number, true, false or null. */
const typed = /[-+.~\dnNtTfF][^\s,[\]{}]*/y

/** Looks up offsets in a text, which is read again on the first use: a file without findings needs none. */
export function fieldOffsets(text: string, read: (locations: Locations) => unknown): Required<FieldOffsets> {
  const index = lazy(() => {
    const locations = new Locations()
    return { locations, root: read(locations) }
  })
  const offsetOf = (path: FieldPath, at: 'key' | 'value') => {
    const { locations, root } = index()
    let parent = root
    let offset = locations.start
    for (const [depth, part] of path.entries()) {
      const location = locations.find(parent, part)
      if (location === undefined) return offset
      const { key, value } = location
      offset = (depth === path.length - 1 && at === 'value' ? value : key) ?? value ?? key ?? offset
      parent = Object(parent)[part]
    }
    return offset
  }
  return {
    /** A field inside an alias has the position of the alias. */
    offsetOf,
    rawTextAt(path) {
      let value = index().root
      for (const part of path) value = Object(value)[part]
      typed.lastIndex = offsetOf(path, 'value') ?? text.length
      return typeof value === 'object' && value !== null ? undefined : typed.exec(text)?.[0]
    },
  }
}
