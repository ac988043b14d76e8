import { byCase } from '../../../lib/by-case.ts'
import type { Why } from '../plan-schema.ts'

/** Why an action is blocked, replaces a resource, or has no file; one sentence. */
export const reasonFor = (why: Why, id: string | undefined): string =>
  byCase('code', why, {
    'fixed-fields': ({ fields }) => `the interface cannot remove ${fields.join(' and ')} from a tool`,
    'patched-fields': ({ fields }) => `a PATCH cannot remove ${fields.join(' and ')}`,
    replaced: () => `a new assistant replaces it; ${id} remains until you delete it at the service`,
    'no-assistant-update': () => 'the interface cannot update assistants',
    'may-exist': () =>
      'the lockfile is of an earlier apply, so the service may already have what would be created',
    'renamed-file': ({ former }) =>
      `its entries belong to ${former} in the lockfile, which no longer has a file`,
    'other-knowledge-base': () => 'its entries have ids of the knowledge base in the lockfile',
    'no-file': () => 'it no longer has a file, and the interface cannot delete it',
  })
