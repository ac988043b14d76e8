import { isObject } from '../../lib/json.ts'
import type { Diagnostic } from '../../source/index.ts'
import { type Address, addressOf } from '../address.ts'
import { said } from '../errors.ts'
import { readEntries } from '../faq/entries.ts'
import { noPlaces } from '../faq/push-batch.ts'
import { openSplice } from '../faq/splice.ts'
import type { Resource } from './find-resources.ts'

/** Several files may share a knowledge base: a warning, as it may be a mistake. */
export function sharedKnowledgeBases(resources: readonly Resource[]): Diagnostic[] {
  const first = new Map<string, Resource>()
  return resources.flatMap(resource => {
    const { kind, checked } = resource
    const { source, value } = checked
    if (kind !== 'kb' || !isObject(value) || typeof value.knowledgeBaseId !== 'string') return []
    const other = first.get(value.knowledgeBaseId)
    if (other === undefined) {
      first.set(value.knowledgeBaseId, resource)
      return []
    }
    return [
      {
        code: 'shared-knowledge-base',
        severity: 'warning',
        path: ['knowledgeBaseId'],
        at: 'value',
        file: source.file,
        position: source.positionOf(['knowledgeBaseId'], 'value'),
        ...said('shared-knowledge-base', { other: other.checked.source.file }),
      },
    ]
  })
}

/** What a knowledge base needs in a project: to say which one it is, and a place for each id that is to come. */
export async function knowledgeBaseFindings(resource: Resource): Promise<Diagnostic[]> {
  if (resource.kind !== 'kb') return []
  return [...withoutId(resource), ...(await withoutPlace(resource))]
}

/** The interface has no way to create a knowledge base: in a project its file must say which one it is. */
function withoutId({ checked }: Resource): Diagnostic[] {
  const { source, value } = checked
  if (!isObject(value) || value.knowledgeBaseId !== undefined) return []
  const isCsv = source.format === 'csv'
  return [
    {
      code: 'missing',
      severity: 'error',
      path: [],
      at: 'value',
      file: source.file,
      position: isCsv ? undefined : source.positionOf([], 'value'),
      ...said('knowledge-base-without-id', { isCsv }),
    },
  ]
}

/** Only a file that passes has entries to look at. */
async function withoutPlace({ checked }: Resource): Promise<Diagnostic[]> {
  const { source, body, diagnostics } = checked
  if (body === undefined || diagnostics.some(({ severity }) => severity === 'error')) return []
  const entries = readEntries(source, body).entries.filter(({ key }) => key === undefined)
  if (entries.length === 0) return []
  const { refusal } = await openSplice(source)
  const refusals = entries.flatMap(({ index }) => {
    const reason = refusal(index)
    return reason === undefined ? [] : [[index, reason] as const]
  })
  return noPlaces(source, entries, new Map(refusals))
}

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
    return [
      {
        code: 'circle',
        severity: 'error',
        path,
        at: 'value',
        file: source.file,
        position: source.positionOf(path, 'value'),
        ...said('resource-circle', { circle }),
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
    return [
      {
        code: 'unused',
        severity: 'warning',
        path: [],
        at: 'value',
        file: source.file,
        position: undefined,
        ...said('unused-resource', { address }),
      },
    ]
  })
}

function literalIds({ kind, checked: { value } }: Resource): unknown[] {
  if (kind !== 'assistant' || !isObject(value)) return []
  return Array.isArray(value.assistantKnowledgeBaseIds) ? value.assistantKnowledgeBaseIds : []
}
