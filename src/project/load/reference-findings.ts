import { isObject } from '../../lib/json/is-object.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'
import type { Address } from '../address.ts'
import { addressOf } from '../address.ts'
import type { Resource } from './resource.ts'

/** Resources that need each other: none of them could be made first. */
export function circleFindings(
  circles: readonly (readonly Address[])[],
  resources: readonly Resource[],
): Diagnostic[] {
  return circles.flatMap(circle => {
    const [first, second] = circle
    const resource = resources.find(({ address }) => address === first)
    if (resource === undefined || second === undefined) return []
    const { source, references } = resource.checked
    const path = references.resources.find(({ kind, name }) => addressOf(kind, name) === second)?.path ?? []
    const message =
      circle.length === 2
        ? `${first} refers to itself, and has no id before it is made`
        : `these refer to each other in a circle: ${circle.join(' → ')}`
    return [
      {
        code: 'circle',
        severity: 'error',
        path,
        at: 'value',
        file: source.file,
        position: source.positionOf(path, 'value'),
        message,
        hint: 'each is made before what refers to it: take one of the references out',
      },
    ]
  })
}

/** Tools and knowledge bases that nothing refers to, neither by name nor by id: often a typo, or forgotten. */
export function unusedFindings(resources: readonly Resource[]): Diagnostic[] {
  const used = new Set(resources.flatMap(({ needs }) => needs))
  const ids = new Set(resources.flatMap(literalIds))
  return resources.flatMap(({ kind, address, checked }) => {
    const { source, value } = checked
    if (kind === 'assistant' || used.has(address)) return []
    if (kind === 'kb' && isObject(value) && ids.has(value.knowledgeBaseId)) return []
    const name = address.slice(kind.length + 1)
    return [
      {
        code: 'unused',
        severity: 'warning',
        path: [],
        at: 'value',
        file: source.file,
        position: undefined,
        message: `no file refers to ${address}`,
        hint: `an assistant uses it with \${${kind}:${name}}`,
      },
    ]
  })
}

function literalIds({ kind, checked: { value } }: Resource): unknown[] {
  if (kind !== 'assistant' || !isObject(value)) return []
  return Array.isArray(value.assistantKnowledgeBaseIds) ? value.assistantKnowledgeBaseIds : []
}
