import type { ProjectErrors } from '../../project/errors.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
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
}
