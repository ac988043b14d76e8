import { kinds } from '../../interface/kinds.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { beginningHint } from '../../lib/text/find-by-beginning.ts'
import { fileKinds, lockfileName, type ProjectErrors } from '../../project/index.ts'
import type { Messages } from './words.ts'

export const projectMessages: Messages<ProjectErrors> = {
  'target-elsewhere': ({ target, recorded, baseUrl }) => ({
    message: `target ${target} is at ${recorded} in ${lockfileName}, and this is ${baseUrl}; nothing was sent`,
    hint: `choose the profile or base URL of ${target}; or give another service its own name: --target <name>`,
  }),
  'target-twice': ({ target, recorded, baseUrl }) => ({
    message: `${lockfileName} knows ${baseUrl} as target ${recorded}, and has no target ${target}: applied to it, everything would be created once more; nothing was sent`,
    hint: `give --target ${recorded}; or, if all of it is to exist twice: callwright apply --target ${target} --new-target`,
  }),
  'other-sandbox': ({ target, baseUrl, recorded, found }) => ({
    message: `another sandbox (${found}) answers at ${baseUrl} than the one that ${lockfileName} knows as target ${target} (${recorded}); nothing was sent`,
    hint: `callwright apply --target ${target} --new-target creates everything in this sandbox; or start the other one with its --data`,
  }),
  'other-team': ({ target, recorded, otherTeam, address, created }) => ({
    message: `the API key belongs to team ${otherTeam}, and target ${target} is team ${recorded} in ${lockfileName}; ${
      created === undefined
        ? `${address} was updated there, and nothing more was sent`
        : `${address} was created there as ${created}, and nothing more was sent`
    }`,
    hint: `use a key of team ${recorded}, or give the other account its own name: --target <name>`,
  }),
  'no-project': () => ({
    message: 'there is no callwright.yaml in this folder or above it',
    hint: 'callwright init makes a project here; or change into one',
  }),
  'no-such-resource': ({ text, resource, near, names, idFlag }) => {
    const { title, folder } = kinds[fileKinds[resource]]
    const looked = [
      ...(idFlag === undefined ? [] : ['no such file']),
      names === undefined ? 'no project here' : 'no such name in the project',
    ]
    const there = names === undefined || names.length === 0 ? undefined : `${folder}/ has ${listed(names)}`
    const hints = [
      near === undefined ? there : `did you mean ${near}?`,
      idFlag === undefined ? undefined : `give an id of the service with ${idFlag}`,
    ].filter(each => each !== undefined)
    return {
      message: `there is no ${title} ${JSON.stringify(text)}: ${looked.join(', and ')}`,
      hint: hints.length === 0 ? undefined : hints.join(near === undefined ? '; ' : ' Or: '),
    }
  },
  'other-kind': ({ text, is, wanted }) => ({
    message: `${text} is ${withArticle(is)}, not ${withArticle(wanted)}`,
  }),
  'empty-id': ({ idFlag }) => ({ message: `${idFlag} is empty` }),
  'ambiguous-id': ({ text, idFlag, lockfile, ids }) => ({
    message: `${idFlag} ${text} is the beginning of several ids in ${lockfile}`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
  }),
  'not-deployed': ({ lockfile, target, address, given, inline }) => ({
    message: `${lockfile} has no ${address} at target ${target}`,
    hint: `${applyCommand(given)} creates it there${
      inline === undefined ? '' : `; or --assistant ${inline} sends the file as it is`
    }`,
  }),
  'not-as-deployed': ({ file, lockfile, address, target, given, fields }) => ({
    message: `${file} differs from what ${lockfile} has of ${address} at target ${target}: ${listed(fields, 5)}; nothing was sent`,
    hint: `apply it first: ${applyCommand(given)}; or --assistant ${file} sends it as it is`,
  }),
  'no-knowledge-base-id': ({ file }) => ({ message: `${file} names no knowledgeBaseId` }),
  'other-tool': ({ address, target, recorded, id, given }) => ({
    message: `${address} is ${recorded} at target ${target} in ${lockfileName}, not ${id}; nothing was sent`,
    hint: `callwright tool update ${recorded} …${given === undefined ? '' : ` --target ${given}`}; or, if ${id} is to be this tool: ${applyCommand(given)} --adopt ${address}=${id}`,
  }),
  'update-blocked': ({ address, reason, choices }) => ({
    message: `${address} is not updated: ${reason}; nothing was sent`,
    hint: choices.join('; or: '),
  }),
  'created-already': ({ address, target, id, given }) => ({
    message: `${address} is ${id} at target ${target} in ${lockfileName} already; nothing was sent`,
    hint: `--again creates another one; to send what changed: ${applyCommand(given)}`,
  }),
  'creation-unanswered': ({ address, given }) => ({
    message: `whether an earlier run created ${address} is not known; nothing was sent`,
    hint: `${applyCommand(given)} --adopt ${address}=<id>, or --forget ${address}`,
  }),
}

/** The apply that goes to the same target. */
export function applyCommand(target: string | undefined): string {
  return target === undefined ? 'callwright apply' : `callwright apply --target ${target}`
}

function listed(names: readonly string[], most = 8): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names.slice(0, most).join(', ')}${more}`
}

function withArticle(kind: ResourceKind): string {
  const { title } = kinds[fileKinds[kind]]
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}
