import { kindOfAddress } from '../../files/formats/address.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { count, listed } from '../../lib/text/count.ts'
import { localMinute } from '../../lib/text/date-time.ts'
import { beginningHint, didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import type { ProjectErrors } from '../../project/apply/index.ts'
import { storedAs, type UnknownEntry } from '../../project/faq/index.ts'
import type { LockfileErrors } from '../../project/lockfile/index.ts'
import { lockfileName, processOf } from '../../project/lockfile/index.ts'
import type { PlanErrors } from '../../project/plan/index.ts'
import { explain, formatChoicesHint } from './action.ts'
import type { Messages, MessageText } from './words.ts'

type OtherVersion = ProjectErrors['lockfile-older']

export const projectMessages: Messages<ProjectErrors & PlanErrors & LockfileErrors> = {
  'target-elsewhere': ({ target, recorded, baseUrl }) => ({
    message: `target ${target} is at ${recorded} in ${lockfileName}, not at ${baseUrl}; nothing was sent`,
    hint: `use the profile or base URL of ${target}, or pass --target <name> to name another service`,
  }),
  'target-twice': ({ target, recorded, baseUrl }) => ({
    message: `${lockfileName} has ${baseUrl} as target ${recorded} and no target ${target}, so everything would be created again; nothing was sent`,
    hint: `pass --target ${recorded}; or, to create everything twice: callyard apply --target ${target} --new-target`,
  }),
  'other-sandbox': ({ target, baseUrl, recorded, found }) => ({
    message: `the sandbox at ${baseUrl} (${found}) is not the one of target ${target} in ${lockfileName} (${recorded}); nothing was sent`,
    hint: `to create everything in this sandbox: callyard apply --target ${target} --new-target; or start the other one with its --data`,
  }),
  'other-team': ({ target, recorded, otherTeam, address, created }) => ({
    message: `the API key belongs to team ${otherTeam}, but target ${target} is team ${recorded} in ${lockfileName}; ${
      created === undefined
        ? `${address} was updated there, and nothing more was sent`
        : `${address} was created there as ${created}, and nothing more was sent`
    }`,
    hint: `use a key of team ${recorded}, or pass --target <name> to name the other account`,
  }),
  'lockfile-older': version => ({
    message: `${version.lockfile} is of ${count(version.newest - version.serial, 'apply', 'applies')} ago: ${madeText(version)}; nothing was sent`,
    hint: otherVersionHint(version),
  }),
  'lockfile-forked': version => ({
    message: `${version.lockfile} is one of two versions after the same apply: ${madeText(version)}; nothing was sent`,
    hint: `keep the resources of both versions and set serial to ${version.newest + 1}; or ${otherVersionHint(version)}`,
  }),
  'target-missing': version => ({
    message: `${version.lockfile} has no target ${version.target}, so everything would be created again: ${madeText(version)}; nothing was sent`,
    hint: `${otherVersionHint(version)}; or, to create everything again: ${applyWith(['--new-target'], version.target)}`,
  }),
  'created-before': ({ address, id, given, ...version }) => ({
    message: `${address} is ${id} at target ${version.target}, but ${version.lockfile} does not have it: ${madeText(version)}; nothing was sent`,
    hint: `to use it: ${applyCommandLine(given)} --adopt ${address}=${id}; to create another one: ${applyCommandLine(given)} --forget ${address}=${id}`,
  }),
  'no-project': () => ({
    message: 'no callyard.yaml in this folder or a parent folder',
    hint: 'change into a project folder, or create one: callyard init',
  }),
  'no-such-resource': ({ text, resource, near, names, idFlag, mayBeFile }) => {
    const { title, folder } = kinds[fileKinds[resource]]
    const looked = names === undefined ? 'not in a project' : 'no such name in the project'
    const available = names?.length ? `${folder}/ has ${listed(names)}` : undefined
    const hints = [meantHint(near) ?? available, idFlag && `pass an id of the service with ${idFlag}`]
    const separator = near === undefined ? '; ' : ' Or: '
    return {
      message: `${title} ${JSON.stringify(text)} not found: ${mayBeFile ? 'no such file, and ' : ''}${looked}`,
      hint: hints.filter(hint => hint !== undefined).join(separator) || undefined,
    }
  },
  'other-kind': ({ text, is, wanted }) => ({
    message: `${text} is ${withArticle(is)}, not ${withArticle(wanted)}`,
  }),
  'empty-id': ({ idFlag }) => ({ message: `${idFlag} is empty` }),
  'ambiguous-id': ({ text, idFlag, lockfile, ids }) => ({
    message: `${idFlag === undefined ? '' : `${idFlag} `}${text} is a prefix of several ids in ${lockfile}`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
  }),
  'not-deployed': ({ lockfile, target, address, given, inline }) => ({
    message: `${lockfile} has no ${address} at target ${target}`,
    hint: `create it there: ${applyCommandLine(given)}${
      inline === undefined ? '' : `; or send the file unchanged: --assistant ${inline}`
    }`,
  }),
  'not-as-deployed': ({ file, lockfile, address, target, given, fields }) => ({
    message: `${file} differs from ${address} at target ${target} in ${lockfile}: ${listed(fields, 5)}; nothing was sent`,
    hint: `apply it first: ${applyCommandLine(given)}; or send it unchanged: --assistant ${file}`,
  }),
  'no-knowledge-base-id': ({ file }) => ({ message: `${file} has no knowledgeBaseId` }),
  'other-tool': ({ address, target, recorded, id, given }) => ({
    message: `${address} is ${recorded} at target ${target} in ${lockfileName}, not ${id}; nothing was sent`,
    hint: `callyard tool update ${recorded} …${given === undefined ? '' : ` --target ${given}`}; or, to make ${id} this tool: ${applyCommandLine(given)} --adopt ${address}=${id}`,
  }),
  'update-blocked': ({ address, id, why }) => {
    const { reason = '', choices } = why === undefined ? {} : explain(why, { address, id })
    return {
      message: `${address} was not updated: ${reason}; nothing was sent`,
      hint: formatChoicesHint({ choices }),
    }
  },
  'created-already': ({ address, target, id, given }) => ({
    message: `${address} already exists as ${id} at target ${target} in ${lockfileName}; nothing was sent`,
    hint: `to send changes: ${applyCommandLine(given)}; to create another one, pass --allow-duplicate`,
  }),
  'creation-unanswered': ({ address, given }) => ({
    message: `it is unknown whether an earlier run created ${address}; nothing was sent`,
    hint: `check the service, then run ${applyCommandLine(given)} --adopt ${address}=<id>, or --forget ${address} if it does not exist`,
  }),
  'lockfile-damaged': ({ lockfile, reason }) => unusable(lockfile, reason),
  'lockfile-merge': ({ lockfile, line }) => ({
    ...unusable(`${lockfile}:${line}`, 'unresolved merge conflict'),
    hint: 'keep the resources of both sides, and set serial to one more than the higher one; apply creates a resource again if its id is lost',
  }),
  'lockfile-version': ({ lockfile, version }) => ({
    ...unusable(lockfile, `unsupported version ${version} (supported: 1)`),
    hint: 'it was written by a newer callyard; upgrade callyard',
  }),
  'lockfile-name': ({ lockfile, name }) => unusable(lockfile, `invalid name ${name}`),
  'lockfile-changed': ({ lockfile }) => ({
    message: `${lockfile} was changed by another process while it was in use`,
    hint: 'it was left unchanged; run again',
  }),
  'project-locked': ({ folder, holder }) => ({
    message: `another callyard${processOf(holder)} is using ${folder}; nothing was sent`,
    hint: 'wait until it has finished, then run again',
  }),
  'adopt-malformed': () => ({ message: '--adopt requires <address>=<id>, such as tool/book=6650f0c2' }),
  'adopt-taken': ({ id, holder }) => ({
    message: `${id} is already ${holder}, which has its own file`,
    hint: `remove it from ${lockfileName} first: callyard apply --forget ${holder}=${id}`,
  }),
  'adopt-knowledge-base': ({ address, former }) => ({
    message: `${address} cannot be adopted as ${former}: its file names it by knowledgeBaseId`,
    hint: `to adopt entries, write their ids into the file or pass --adopt ${address}:<id in the file>=<id>; after a rename, pass --adopt ${address}=kb/<former name>`,
  }),
  'adopt-no-file': ({ address, files }) => ({
    message: `no file for ${address}`,
    hint:
      meantHint(didYouMean(address, files)) ??
      'use tool/<name> or assistant/<name>, where the name is that of the file without extension',
  }),
  'forget-known': ({ address, id }) => ({
    message: `${address} is ${id}; after --forget it is created again, and ${id} remains at the service`,
    hint: `if you want that: callyard apply --forget ${address}=${id}`,
  }),
  'forget-ambiguous': ({ text, ids }) => ({
    message: `${text} matches ${ids.length} entries`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
  }),
  'not-recorded': ({ text, known }) => ({
    message: `${lockfileName} has no ${text} at this target`,
    hint:
      meantHint(didYouMean(text, known)) ??
      (known.length === 0 ? 'the target is empty' : `available: ${known.slice(0, 10).join(', ')}`),
  }),
  'apply-unanswered': ({ target, alone, open }) => ({
    message: [
      `${alone ? '' : 'an apply is running, or '}the outcome of an earlier apply is unknown; target ${target} may have these:`,
      ...open.map(each => `  ${unansweredText(each)}`),
      'nothing was sent',
    ].join('\n'),
    hint: `${alone ? '' : 'if none is running, '}${recoveryHint(open, target)}`,
  }),
  'no-saved-plan': ({ file }) => ({
    message: `${file} is not a plan saved by callyard plan --out`,
    hint: 'create a new plan: callyard plan --out plan.json',
  }),
  'plan-outdated': ({ file, changed }) => ({
    message: [
      `${file} is out of date; nothing was sent`,
      ...changed.slice(0, 20).map(each => `  ${each}`),
    ].join('\n'),
    hint: 'create a new plan: callyard plan --out plan.json',
  }),
  'create-unanswered': ({ address, target, ...details }, { message }) => ({
    message: unknownOutcome(details) ?? message,
    hint:
      'outcome' in details && details.outcome === 'done'
        ? `look up its id in the service, then run: ${applyWith([adoptFlag({ address })], target)}`
        : recoveryHint([{ address }], target),
  }),
  'gone-at-target': ({ address, id }, { message }) => ({
    message,
    hint: `${id} was deleted at the service, or the API key is another account's. To create it again: callyard apply --forget ${address}=${id}`,
  }),
  'not-written-down': ({ address, created }, { message }) => ({
    message: `${address} was ${created === undefined ? 'updated' : `created as ${created}`}, but the lockfile could not be written: ${message}`,
    hint:
      created === undefined
        ? 'fix this, then run it again: it repeats the update'
        : `fix this, then run: callyard apply --adopt ${address}=${created}`,
  }),
  'other-knowledge-base': ({ file, address }) => ({
    message: `${file} names another knowledge base than ${lockfileName}, but its entries have ids of that one; nothing was sent`,
    hint: `change knowledgeBaseId back; or insert every entry into the other one: callyard apply --forget ${address}`,
  }),
  'lockfile-journal-damaged': ({ path }) => ({
    message: `${path} is damaged or was written by another version; nothing was sent`,
    hint: `it records what a killed run did; restore it, or delete it and check the service for what ${lockfileName} is missing`,
  }),
  'journal-of-other-lockfile': ({ lockfile, journal }) => ({
    message: `${lockfile} was changed after a run was killed, and ${journal} records what that run did; nothing was sent`,
    hint: `restore ${lockfile} to that version; or delete ${journal} and check the service for what ${lockfile} is missing`,
  }),
  'journal-lost': ({ lockfile, journal, target, begun }) => ({
    message: `a run to ${target} at ${begun} did not finish, and its journal ${journal} is missing, so ${lockfile} may not have what it created; nothing was sent`,
    hint: `restore ${journal} from the machine of that run, then run callyard plan; if it is lost, delete the last line of ${lockfile}, check the service for what callyard plan --resend lists as blocked, and pass the ids to callyard apply --resend --adopt`,
  }),
}

/** `apply 7 was on 2026-11-28 12:53 by ada@laptop (commit 54ca2c5c)`. */
function madeText({ newest, applied, by, commit, folder }: OtherVersion): string {
  const when = Number.isNaN(Date.parse(applied ?? '')) ? '' : ` on ${localMinute(applied ?? '')}`
  const who = by === undefined ? '' : ` by ${by}`
  const where = commit !== undefined ? ` (commit ${commit})` : folder === undefined ? '' : ` (in ${folder})`
  return `apply ${newest} was${when}${who}${where}`
}

/** Both ways out: the later lockfile, or everything again. */
function otherVersionHint({ commit, lockfile, target }: OtherVersion): string {
  const restore =
    commit === undefined
      ? 'restore the later lockfile and apply the old files'
      : `take the later lockfile and apply the old files: git checkout ${commit} -- ${quoteForShell(lockfile)}`
  return `${restore}; or send every tool and entry again: ${applyWith(['--resend'], target)}`
}

/** The apply that goes to the same target. */
export function applyCommandLine(target: string | undefined): string {
  return target === undefined ? 'callyard apply' : `callyard apply --target ${quoteForShell(target)}`
}

function withArticle(kind: ResourceKind): string {
  const { title } = kinds[fileKinds[kind]]
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}

function unusable(lockfile: string, why: string): MessageText {
  return {
    message: `${lockfile} cannot be used: ${why}; nothing was sent`,
    hint: 'restore it from version control; without it, apply would create everything again',
  }
}

type Unanswered = PlanErrors['apply-unanswered']['open'][number]

function unansweredText({ address, entries }: Unanswered): string {
  if (entries === undefined) return address
  return `${count(entries.length, 'entry', 'entries')} of ${address}: ${listed(entries.map(entryText), 5)}`
}

function entryText({ line, question, id }: UnknownEntry): string {
  const what =
    question !== undefined
      ? JSON.stringify(question)
      : line === undefined
        ? 'an entry no longer in the file'
        : `an entry that was in line ${line}`
  return `${what}${storedAs(id)}`
}

/** Hint with complete commands to settle each open resource. */
export function recoveryHint(open: readonly Unsettled[], target: string): string {
  const created = open.filter(({ address }) => kindOfAddress(address) !== 'kb')
  const entries = open.filter(({ address }) => kindOfAddress(address) === 'kb')
  const adopt = created.map(adoptFlag)
  const files = entries.flatMap(({ file }) => file ?? [])
  const ways = [
    ...(adopt.length === 0 ? [] : [`for resources that exist, ${applyWith(adopt, target)}`]),
    ...(files.length === 0
      ? []
      : [
          `for entries that exist, write their ids into the file, or into ids.txt, and run ${files
            .map(
              file =>
                `callyard faq push ${quoteForShell(file)} --adopt-batch ids.txt --target ${quoteForShell(target)}`,
            )
            .join(' and ')}`,
        ]),
    `for the others, ${applyWith(open.map(forgetFlag), target)}`,
  ]
  return `check the service, then: ${ways.join('; ')}. You can do this one at a time`
}

/** A resource whose outcome is unknown; `id` if the service named one. */
interface Unsettled extends Pick<Unanswered, 'address' | 'file'> {
  readonly id?: string | undefined
}

function adoptFlag({ address, id }: Unsettled): string {
  return `--adopt ${quoteForShell(address)}=${id === undefined ? '<id>' : quoteForShell(id)}`
}

function forgetFlag({ address }: Pick<Unsettled, 'address'>): string {
  return `--forget ${quoteForShell(address)}`
}

export function applyWith(flags: readonly string[], target: string): string {
  const named = target === 'default' ? [] : [`--target ${quoteForShell(target)}`]
  return ['callyard apply', ...flags, ...named].join(' ')
}

/** Message for a response that leaves open whether the request was carried out; undefined without a response. */
export function unknownOutcome({
  status,
  serviceMessage,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof status !== 'number' || (status >= 200 && status < 300)) return undefined
  const said = typeof serviceMessage === 'string' ? `: ${serviceMessage}` : ''
  return `outcome unknown (the service responded ${status}${said}); not retried`
}
