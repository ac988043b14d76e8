import { isObject } from '../../lib/json/is-object.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'
import { readEntries } from '../faq/entries.ts'
import { noPlaces } from '../faq/push-failures.ts'
import { openSplice } from '../faq/splice.ts'
import type { Resource } from './resource.ts'

/** Several files may share a knowledge base, as long as nobody does so by mistake. */
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
        message: `the entries go to the same knowledge base as those of ${other.checked.source.file}`,
        hint: 'if it was copied: change knowledgeBaseId',
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
  const csv = source.format === 'csv'
  return [
    {
      code: 'missing',
      severity: 'error',
      path: [],
      at: 'value',
      file: source.file,
      position: csv ? undefined : source.positionOf([], 'value'),
      message: csv
        ? 'a CSV file has no place for knowledgeBaseId, which a project needs'
        : 'knowledgeBaseId is missing: the service’s interface has no way to create a knowledge base',
      hint: csv
        ? 'write the entries as YAML, or keep the file outside of the project’s knowledge-bases/ and push it with faq push --kb <id>'
        : 'add knowledgeBaseId: the id that the service’s dashboard shows, or ${env:NAME} where it differs by target',
    },
  ]
}

/** Only a file that passes has entries to look at. */
async function withoutPlace({ checked }: Resource): Promise<Diagnostic[]> {
  const { source, body, diagnostics } = checked
  if (body === undefined || diagnostics.some(({ severity }) => severity === 'error')) return []
  const entries = readEntries(source, body).entries.filter(({ key }) => key === undefined)
  if (entries.length === 0) return []
  const splice = await openSplice(source)
  return noPlaces(
    source,
    entries.flatMap(entry => {
      const reason = splice.refusal(entry.index)
      return reason === undefined ? [] : [{ entry, reason }]
    }),
  )
}
