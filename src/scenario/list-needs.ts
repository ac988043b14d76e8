import { type Address, toAddress } from '../files/formats/address.ts'
import { isText } from '../lib/json.ts'
import { knowledgeBaseIdsIn } from '../project/resources/index.ts'
import { listReferences } from './reference-mark.ts'
import type { TestCase } from './test-case.ts'

/** Resources and ids of knowledge bases that tests name. */
export function listNeeds(tests: readonly TestCase[]) {
  const roots = new Set<Address>()
  const knowledgeBaseIds = new Set<string>()
  for (const { assistant, overrides, variables } of tests) {
    if ('name' in assistant) roots.add(toAddress('assistant', assistant.name))
    else for (const id of knowledgeBaseIdsIn(assistant.inline)) if (isText(id)) knowledgeBaseIds.add(id)
    for (const { kind, name } of listReferences([assistant, overrides, variables]))
      roots.add(toAddress(kind, name))
  }
  return { roots: [...roots], knowledgeBaseIds: [...knowledgeBaseIds] }
}
