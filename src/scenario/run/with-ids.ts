import { isObject } from '../../lib/json.ts'
import { segmentsOf } from '../../source/index.ts'

/** A value with the ids of a project's resources in place of `${tool:name}` and its like, in all texts. `ids`: by address. */
export function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.includes('${') ? textWithIds(value, ids) : value
  if (Array.isArray(value)) return value.map(item => withIds(item, ids))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withIds(field, ids)]))
}

function textWithIds(text: string, ids: ReadonlyMap<string, string>): string {
  let filled = text
  for (const segment of segmentsOf(text)) {
    if (segment.kind !== 'resource') continue
    const { kind, name } = segment.resource
    filled = filled.replaceAll(segment.written, () => ids.get(`${kind}/${name}`) ?? segment.written)
  }
  return filled
}
