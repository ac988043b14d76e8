import type { FaqFindings, NoPlaceReason } from '../faq/index.ts'
import { kindOfAddress, nameOf } from '../interface/address.ts'
import { fileKinds, kinds } from '../interface/kinds.ts'
import type { ResourceKind } from '../interface/words.ts'
import { count, listed } from '../lib/text/count.ts'
import { meantHint } from '../lib/text/did-you-mean.ts'
import type { ProjectFindings } from '../resources/index.ts'
import type { CassetteFindings } from '../scenario/index.ts'
import { applyCommandLine } from './project.ts'
import { cassetteFindings } from './test-findings.ts'
import type { Messages } from './words.ts'

/** The words for findings in a project. */
export const findingMessages: Messages<ProjectFindings & FaqFindings & CassetteFindings> = {
  ...cassetteFindings,
  'shared-knowledge-base': ({ other }) => ({
    message: `the entries go to the same knowledge base as those of ${other}`,
    hint: 'if it was copied: change knowledgeBaseId',
  }),
  'knowledge-base-without-id': ({ isCsv }) =>
    isCsv
      ? {
          message: 'a CSV file has no place for knowledgeBaseId, which a project needs',
          hint: 'write the entries as YAML, or keep the file outside of the project’s knowledge-bases/ and push it with faq push --kb <id>',
        }
      : {
          message:
            'knowledgeBaseId is missing: the service’s interface has no way to create a knowledge base',
          hint: 'add knowledgeBaseId: the id that the service’s dashboard shows, or ${env:NAME} where it differs by target',
        },
  'no-place-for-id': ({ index, reason }) => ({
    message: `faq[${index}] cannot take the id that the service will assign: ${noPlace[reason]}`,
    hint: 'write the entry out as a mapping of its own',
  }),
  'resource-circle': ({ circle }) => ({
    message:
      circle.length === 2
        ? `${circle[0]} refers to itself, and has no id before it is created`
        : `these refer to each other in a circle: ${circle.join(' → ')}`,
    hint: 'apply creates each before what refers to it: remove one of the references',
  }),
  'unused-resource': ({ address }) => ({
    message: `no file refers to ${address}`,
    hint: `an assistant uses it with \${${kindOfAddress(address)}:${nameOf(address)}}`,
  }),
  'missing-lockfile': ({ withIds, created }) => ({
    message: `not found, but entries of ${withIds} have ids: apply would create ${count(created, 'resource')} again`,
    hint: 'restore it from version control, or continue if the resources do not exist yet',
  }),
  'unusable-folder': ({ resource, reason }) => ({
    message: unusable[reason] ?? `this folder cannot be read: ${reason}`,
    hint: `a project keeps its ${kinds[fileKinds[resource]].title} files here`,
  }),
  'folder-of-other-kind': ({ resource, nearest, folder }) => ({
    message: `this file lies in ${folderOf(resource)}/, and in a folder of ${nearest ?? 'other'} files`,
    hint: `rename the folder ${folder}/: below ${folderOf(resource)}/ its name means another kind`,
  }),
  'name-taken': ({ address, other }) => ({
    message: `${other} is ${address} already: the name of a resource is its file's, without extension`,
    hint: 'rename one of the two',
  }),
  'no-such-reference': ({ field, written, resource, near, there }) => ({
    message: `${field} refers to ${written}: there is no such file in ${folderOf(resource)}/`,
    hint:
      meantHint(near) ??
      (there.length === 0 ? `${folderOf(resource)}/ holds no files` : `there are ${listed(there)}`),
  }),
  'reference-not-deployed': ({ field, written, lockfile, address, target, given }) => ({
    message: `${field} refers to ${written}: ${lockfile} has no ${address} at target ${target}`,
    hint: `${applyCommandLine(given)} creates it there`,
  }),
  'reference-without-id': ({ field, written, file }) => ({
    message: `${field} refers to ${written}: ${file} names no knowledgeBaseId`,
  }),
}

const noPlace: Readonly<Record<NoPlaceReason, string>> = {
  unknown: 'its place in the file cannot be found',
  alias: 'it is an alias of another entry',
  'no-mapping': 'it is not a mapping',
  empty: 'it is empty',
  'id-form': 'its id field is written in a form that cannot be filled in',
  'id-alias': 'its id field is an alias, or carries an anchor or a tag',
  'id-reference': 'its id field holds a reference that is empty; write the id out, or remove the field',
}

const unusable: Readonly<Record<string, string>> = {
  ENOTDIR: 'this is not a folder',
  ENOENT: 'this link leads nowhere',
  EACCES: 'this folder may not be read: permission denied',
  EPERM: 'this folder may not be read: permission denied',
}

function folderOf(kind: ResourceKind): string {
  return kinds[fileKinds[kind]].folder
}
