import { kindOfAddress, nameOf } from '../../files/formats/address.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { count, listed } from '../../lib/text/count.ts'
import { meantHint } from '../../lib/text/did-you-mean.ts'
import type { FaqFindings, NoIdSlotReason } from '../../project/faq/index.ts'
import type { ProjectFindings } from '../../project/resources/index.ts'
import { applyCommandLine } from './project.ts'
import type { Messages } from './words.ts'

export const findingMessages: Messages<ProjectFindings & FaqFindings> = {
  'shared-knowledge-base': ({ other }) => ({
    message: `this file has the same knowledge base as ${other}`,
    hint: 'change knowledgeBaseId if the file is a copy',
  }),
  'knowledge-base-without-id': ({ name }) =>
    name !== undefined
      ? {
          message: 'a CSV file cannot contain knowledgeBaseId, which a project requires',
          hint: `add its id to callyard.yaml: knowledgeBases: { ${/^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name)}: <id> }`,
        }
      : {
          message: 'knowledgeBaseId is missing: the service’s interface cannot create a knowledge base',
          hint: 'add knowledgeBaseId with the id from the service’s dashboard, or ${env:NAME} if it differs by target',
        },
  'no-place-for-id': ({ index, reason }) => ({
    message: `faq[${index}] cannot take the id that the service will assign: ${noPlace[reason]}`,
    hint: 'write the entry as a separate mapping',
  }),
  'resource-circle': ({ circle }) => ({
    message:
      circle.length === 2
        ? `${circle[0]} refers to itself, but has no id before it is created`
        : `circular reference: ${circle.join(' → ')}`,
    hint: 'remove one of the references; apply creates a resource before those that refer to it',
  }),
  'unused-resource': ({ address }) => ({
    message: `no file refers to ${address}`,
    hint: `use it in an assistant: \${${kindOfAddress(address)}:${nameOf(address)}}`,
  }),
  'missing-lockfile': ({ withIds, created }) => ({
    message: `not found, but entries of ${withIds} have ids: apply would create ${count(created, 'resource')} again`,
    hint: 'restore it from version control, or continue if the resources do not exist yet',
  }),
  'unusable-folder': ({ resource, reason }) => ({
    message: unusable[reason] ?? `this folder cannot be read: ${reason}`,
    hint: `it should contain the ${kinds[fileKinds[resource]].title} files of the project`,
  }),
  'folder-of-other-kind': ({ resource, nearest, folder }) => ({
    message: `this file is in ${folderOf(resource)}/, but in a subfolder for ${nearest ?? 'other'} files`,
    hint: `rename the folder ${folder}/; its name means another kind`,
  }),
  'name-taken': ({ address, other }) => ({
    message: `${other} is already ${address}; a resource is named after its file, without the extension`,
    hint: 'rename one of the files',
  }),
  'no-such-reference': ({ field, written, resource, near, there }) => ({
    message: `${field} refers to ${written}, but ${folderOf(resource)}/ has no such file`,
    hint:
      meantHint(near) ??
      (there.length === 0 ? `${folderOf(resource)}/ is empty` : `available: ${listed(there)}`),
  }),
  'reference-not-deployed': ({ field, written, lockfile, address, target, given }) => ({
    message: `${field} refers to ${written}, but ${lockfile} has no ${address} at target ${target}`,
    hint: `create it there: ${applyCommandLine(given)}`,
  }),
  'reference-without-id': ({ field, written, file }) => ({
    message: `${field} refers to ${written}: ${file} has no knowledgeBaseId`,
  }),
}

const noPlace: Readonly<Record<NoIdSlotReason, string>> = {
  unknown: 'its position in the file cannot be found',
  alias: 'it is an alias of another entry',
  'no-mapping': 'it is not a mapping',
  empty: 'it is empty',
  'id-form': 'the form of its id field cannot be filled in',
  'id-alias': 'its id field is an alias or has an anchor or tag',
  'id-reference': 'its id field is a reference to an empty value; write the id, or remove the field',
}

const unusable: Readonly<Record<string, string>> = {
  ENOTDIR: 'this is not a folder',
  ENOENT: 'this is a broken link',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
}

function folderOf(kind: ResourceKind): string {
  return kinds[fileKinds[kind]].folder
}
