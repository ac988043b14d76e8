import type { BatchIdFault, FaqErrors, UnknownEntry } from '../faq/index.ts'
import { kindOfAddress } from '../interface/address.ts'
import { fileKinds, kinds } from '../interface/kinds.ts'
import type { ResourceKind } from '../interface/words.ts'
import { byCase } from '../lib/by-case.ts'
import { count, listed } from '../lib/text/count.ts'
import { beginningHint, didYouMean, meantHint } from '../lib/text/did-you-mean.ts'
import { quoteForShell } from '../lib/text/escape.ts'
import type { LockfileErrors } from '../lockfile/index.ts'
import { lockfileName } from '../lockfile/index.ts'
import type { PlanErrors, Unanswered } from '../plan/index.ts'
import type { ProjectErrors } from '../project/index.ts'
import type { ResourceErrors } from '../resources/index.ts'
import { explain, hintOf } from './action.ts'
import type { Messages, Words } from './words.ts'

export const projectMessages: Messages<
  ProjectErrors & PlanErrors & ResourceErrors & LockfileErrors & FaqErrors
> = {
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
  'no-project-in': ({ folder, file }) => ({
    message: `there is no project in ${folder}: ${file} does not exist`,
    hint: 'give the folder that holds callwright.yaml; callwright init makes one',
  }),
  'no-such-resource': ({ text, resource, near, names, idFlag, mayBeFile }) => {
    const { title, folder } = kinds[fileKinds[resource]]
    const looked = names === undefined ? 'no project here' : 'no such name in the project'
    const there = names?.length ? `${folder}/ has ${listed(names)}` : undefined
    const hints = [meantHint(near) ?? there, idFlag && `give an id of the service with ${idFlag}`]
    const separator = near === undefined ? '; ' : ' Or: '
    return {
      message: `there is no ${title} ${JSON.stringify(text)}: ${mayBeFile ? 'no such file, and ' : ''}${looked}`,
      hint: hints.filter(hint => hint !== undefined).join(separator) || undefined,
    }
  },
  'other-kind': ({ text, is, wanted }) => ({
    message: `${text} is ${withArticle(is)}, not ${withArticle(wanted)}`,
  }),
  'empty-id': ({ idFlag }) => ({ message: `${idFlag} is empty` }),
  'ambiguous-id': ({ text, idFlag, lockfile, ids }) => ({
    message: `${idFlag === undefined ? '' : `${idFlag} `}${text} is the beginning of several ids in ${lockfile}`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
  }),
  'not-deployed': ({ lockfile, target, address, given, inline }) => ({
    message: `${lockfile} has no ${address} at target ${target}`,
    hint: `${applyCommandLine(given)} creates it there${
      inline === undefined ? '' : `; or --assistant ${inline} sends the file as it is`
    }`,
  }),
  'not-as-deployed': ({ file, lockfile, address, target, given, fields }) => ({
    message: `${file} differs from what ${lockfile} has of ${address} at target ${target}: ${listed(fields, 5)}; nothing was sent`,
    hint: `apply it first: ${applyCommandLine(given)}; or --assistant ${file} sends it as it is`,
  }),
  'no-knowledge-base-id': ({ file }) => ({ message: `${file} names no knowledgeBaseId` }),
  'other-tool': ({ address, target, recorded, id, given }) => ({
    message: `${address} is ${recorded} at target ${target} in ${lockfileName}, not ${id}; nothing was sent`,
    hint: `callwright tool update ${recorded} …${given === undefined ? '' : ` --target ${given}`}; or, if ${id} is to be this tool: ${applyCommandLine(given)} --adopt ${address}=${id}`,
  }),
  'update-blocked': ({ address, id, why }) => {
    const { reason = '', choices } = why === undefined ? {} : explain(why, { address, id })
    return { message: `${address} is not updated: ${reason}; nothing was sent`, hint: hintOf({ choices }) }
  },
  'created-already': ({ address, target, id, given }) => ({
    message: `${address} is ${id} at target ${target} in ${lockfileName} already; nothing was sent`,
    hint: `--allow-duplicate creates another one; to send what changed: ${applyCommandLine(given)}`,
  }),
  'creation-unanswered': ({ address, given }) => ({
    message: `whether an earlier run created ${address} is not known; nothing was sent`,
    hint: `${applyCommandLine(given)} --adopt ${address}=<id>, or --forget ${address}`,
  }),
  'lockfile-damaged': ({ lockfile, reason }) => unusable(lockfile, reason),
  'lockfile-merge': ({ lockfile, line }) => ({
    ...unusable(`${lockfile}:${line}`, 'unresolved merge conflict'),
    hint: 'keep the resources of both sides: an id that is lost is a resource that apply creates once more',
  }),
  'lockfile-name': ({ lockfile, name }) => unusable(lockfile, `no apply writes the name ${name}`),
  'lockfile-changed': ({ lockfile }) => ({
    message: `${lockfile} was changed by another process while it was in use`,
    hint: 'it was left as it is now',
  }),
  'project-locked': ({ folder, holder }) => ({
    message: `another run${processOf(holder)} is at work on ${folder}; nothing was sent`,
    hint: 'wait until it has ended, then run again',
  }),
  'adopt-malformed': () => ({ message: '--adopt takes <address>=<id>, such as tool/book=6650f0c2' }),
  'adopt-taken': ({ id, holder }) => ({
    message: `${id} is ${holder} already, which has a file of its own`,
    hint: `callwright apply --forget ${holder}=${id} takes it out of ${lockfileName} first`,
  }),
  'adopt-knowledge-base': ({ address, former }) => ({
    message: `${address} cannot be adopted as ${former}: its file names it by knowledgeBaseId`,
    hint: `its entries: write their ids into the file, or --adopt ${address}:<id in the file>=<id>; a file that was renamed: --adopt ${address}=kb/<former name>`,
  }),
  'adopt-no-file': ({ address, files }) => ({
    message: `there is no file for ${address}`,
    hint:
      meantHint(didYouMean(address, files)) ??
      'an address is tool/<name> or assistant/<name>, the name of its file without extension',
  }),
  'forget-known': ({ address, id }) => ({
    message: `${address} is ${id}; forgotten, it is created once more, and ${id} stays at the service`,
    hint: `if that is meant: callwright apply --forget ${address}=${id}`,
  }),
  'forget-ambiguous': ({ text, ids }) => ({
    message: `${text} may be ${ids.length} entries`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id),
  }),
  'not-recorded': ({ text, known }) => ({
    message: `${lockfileName} has no ${text} at this target`,
    hint:
      meantHint(didYouMean(text, known)) ??
      (known.length === 0 ? 'it has nothing yet' : `it has ${known.slice(0, 10).join(', ')}`),
  }),
  'apply-unanswered': ({ target, alone, open }) => ({
    message: [
      `${alone ? '' : 'an apply is running, or '}the outcome of an earlier apply is unknown; target ${target} may hold these:`,
      ...open.map(each => `  ${unansweredText(each)}`),
      'nothing was sent',
    ].join('\n'),
    hint: `${alone ? '' : 'if none is running, '}${waysOut(open, target)}`,
  }),
  'no-saved-plan': ({ file }) => ({
    message: `${file} is not a plan that callwright plan --out wrote`,
    hint: 'create a new plan: callwright plan --out plan.json',
  }),
  'plan-outdated': ({ file, changed }) => ({
    message: [
      `${file} is out of date; nothing was sent`,
      ...changed.slice(0, 20).map(each => `  ${each}`),
    ].join('\n'),
    hint: 'create a new plan: callwright plan --out plan.json',
  }),
  'create-unanswered': ({ address, target, ...details }, { message }) => ({
    message: unknownOutcome(details) ?? message,
    hint:
      'outcome' in details && details.outcome === 'done'
        ? `look up its id in the service, then run: ${applyWith([adoptFlag({ address })], target)}`
        : waysOut([{ address }], target),
  }),
  'gone-at-target': ({ address, id }, { message }) => ({
    message,
    hint: `${id} was deleted at the service, or the API key is another account's. To create it again: callwright apply --forget ${address}=${id}`,
  }),
  'not-written-down': ({ address, created }, { message }) => ({
    message: `${address} was ${created === undefined ? 'updated' : `created as ${created}`}, which could not be written down: ${message}`,
    hint: `when that is solved: ${
      created === undefined
        ? 'run again; it is updated once more, which changes nothing'
        : `callwright apply --adopt ${address}=${created}`
    }`,
  }),
  'other-knowledge-base': ({ file, address }) => ({
    message: `${file} names another knowledge base than ${lockfileName}, and the ids of its entries belong to that one; nothing was sent`,
    hint: `change knowledgeBaseId back; or: callwright apply --forget ${address} inserts every entry into the other one`,
  }),
  'file-gone': ({ file }) => ({ message: `${file} is gone since it was read; nothing of it was sent` }),
  'file-changed': ({ file }) => ({
    message: `${file} was changed while it was being pushed`,
    hint: 'it was left as it is now; run again: ids that the service assigned are kept, and are written then',
  }),
  'ledger-unreadable': ({ path }, { message }) => ({
    message: `cannot read ${path}: ${message}\nnothing was sent`,
    hint: 'check the permissions of the file and its folder',
  }),
  'ledger-damaged': ({ path }) => ({
    message: `${path} is damaged, or written by another version; nothing was sent`,
    hint: 'restore it; or, if every entry that was sent has its id in the file, delete it: entries with an id are updated again, entries without one are inserted',
  }),
  'lockfile-journal-damaged': ({ path }) => ({
    message: `${path} is damaged, or written by another version; nothing was sent`,
    hint: `it says what a run did that was killed; restore it, or delete it and look into the service for what ${lockfileName} lacks`,
  }),
  'journal-of-other-lockfile': ({ lockfile, journal }) => ({
    message: `${lockfile} was changed since a run was killed; what that run did stands in ${journal}; nothing was sent`,
    hint: `restore ${lockfile} as it was then; or delete ${journal}, and look into the service for what ${lockfile} lacks`,
  }),
  'journal-lost': ({ lockfile, journal, target, begun }) => ({
    message: `a run of ${begun} to ${target} did not end, and its journal ${journal} is gone; ${lockfile} may lack what that run created; nothing was sent`,
    hint: `bring ${journal} back from where that run was, and run callwright plan; if it is lost, delete the last line of ${lockfile}: what plan then lists as new may exist already, so look for it in the service, and give its id to apply --adopt`,
  }),
  'push-locked': ({ file, holder }) => ({
    message: `another push${processOf(holder)} of ${file} is running`,
    hint: 'wait until it has ended, then run again',
  }),
  'batch-closed': () => ({
    message: '--adopt-batch: no batch of this file is open; nothing was sent',
    hint: 'run again without --adopt-batch',
  }),
  'batch-ids': fault => ({
    message: `--adopt-batch: ${faultText(fault)}; nothing was sent, nothing was written`,
    hint: 'give one id per line in the order of the batch, or lines id<TAB>question',
  }),
  'answer-lost': (batch, { message }) => ({
    message: `${unknownOutcome(batch) ?? message}\nwhether knowledge base ${batch.knowledgeBaseId} holds these entries is not known:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'answer-unclear': (batch, { message }) => ({
    message: `${message === '' ? '' : `${message}\n`}the response does not show for certain which ids these entries have:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'batch-open': batch => ({
    message: `an earlier push ended while entries were on their way; whether knowledge base ${batch.knowledgeBaseId} holds these is not known:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'ids-not-kept': (batch, { message }) => ({
    message: `the service stored these entries, and their ids could not be kept (${message}):${listing(batch)}`,
    hint: 'write these ids into the file before you run again',
  }),
  'ids-not-written': ({ file, count, keptIn }, { message, hint }) => ({
    message: `${message}\n${
      count === 1
        ? `1 entry is stored; its id is kept in ${keptIn} and is written into ${file} by the next run`
        : `${count} entries are stored; their ids are kept in ${keptIn} and are written into ${file} by the next run`
    }`,
    hint,
  }),
  'update-not-recorded': ({ count }, { message, hint }) => ({
    message: `${message}\n${
      count === 1
        ? '1 entry is updated, which could not be recorded: the next run updates it again'
        : `${count} entries are updated, which could not be recorded: the next run updates them again`
    }`,
    hint,
  }),
  'entries-refused': (refusal, { message }) => ({
    message: `${message}; knowledge base ${refusal.knowledgeBaseId} rejected:${refusal.refused
      .map(
        ({ file, line, question, id }) =>
          `\n  ${file}${line === undefined ? '' : `:${line}`}: ${question === undefined ? '' : JSON.stringify(question)} (${id})`,
      )
      .join('')}`,
    hint: `if they were deleted at the service, insert them again: ${forgetEntriesCommand(refusal)}`,
  }),
  'too-large-with-ids': ({ file, size, max }) => ({
    message: `${file} would be about ${size} MB with the ids of its entries, and a file may have ${max} MB; nothing was sent`,
    hint: 'split it into several files',
  }),
  'forget-no-entry': ({ file, id, near }) => ({
    message: `--forget ${id}: no entry of ${file} has this id; nothing was sent`,
    hint: meantHint(near),
  }),
  'other-push-open': ({ file, knowledgeBaseId, baseUrl }) => ({
    message: `an earlier push of ${file} to knowledge base ${knowledgeBaseId} at ${baseUrl} is not finished`,
    hint: `finish it first, with --kb ${knowledgeBaseId} and --base-url ${baseUrl}`,
  }),
  'push-cancelled': ({ done, total }, { message }) => ({
    message: `${message}; ${done} of ${total} entries are pushed`,
    hint: 'run again: it sends only the rest',
  }),
  'push-in-part': ({ done, total }, { message, hint }) => ({
    message: `${done} of ${total} entries are pushed; then: ${message}`,
    hint: hint ?? 'run again when that is solved: it sends only the rest',
  }),
  'nothing-sent': ({ pendingFile }, { message, hint }) => ({
    message: `${message}\nnothing was sent${
      pendingFile === undefined
        ? ''
        : `; what an earlier push left to be finished is still kept in ${pendingFile}`
    }`,
    hint,
  }),
}

/** The apply that goes to the same target. */
export function applyCommandLine(target: string | undefined): string {
  return target === undefined ? 'callwright apply' : `callwright apply --target ${quoteForShell(target)}`
}

function withArticle(kind: ResourceKind): string {
  const { title } = kinds[fileKinds[kind]]
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}

function unusable(lockfile: string, why: string): Words {
  return {
    message: `${lockfile} cannot be used: ${why}; nothing was sent`,
    hint: 'restore it from version control: without it, apply would create everything once more',
  }
}

function processOf(holder: FaqErrors['push-locked']['holder']): string {
  return holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`
}

function unansweredText({ address, entries }: Unanswered): string {
  if (entries === undefined) return address
  return `${count(entries.length, 'entry', 'entries')} of ${address}: ${listed(entries.map(entryText), 5)}`
}

function entryText({ line, question, id }: UnknownEntry): string {
  const what =
    question !== undefined
      ? JSON.stringify(question)
      : line === undefined
        ? 'one that the file holds no more'
        : `one that was in line ${line}`
  return `${what}${storedAs(id)}`
}

function storedAs(id: string | undefined): string {
  return id === undefined ? '' : `, stored as ${id}`
}

/** Hint with complete commands to settle each open resource. */
export function waysOut(open: readonly Unsettled[], target: string): string {
  const created = open.filter(({ address }) => kindOfAddress(address) !== 'kb')
  const entries = open.filter(({ address }) => kindOfAddress(address) === 'kb')
  const adopt = created.map(adoptFlag)
  const files = entries.flatMap(({ file }) => file ?? [])
  const ways = [
    ...(adopt.length === 0 ? [] : [`resources that exist: ${applyWith(adopt, target)}`]),
    ...(files.length === 0
      ? []
      : [
          `entries that exist: write their ids into the file, or into ids.txt, and run ${files
            .map(
              file =>
                `callwright faq push ${quoteForShell(file)} --adopt-batch ids.txt --target ${quoteForShell(target)}`,
            )
            .join(' and ')}`,
        ]),
    `the others: ${applyWith(open.map(forgetFlag), target)}`,
  ]
  return `check the service; ${ways.join('; ')}. You can settle them one at a time`
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

function applyWith(flags: readonly string[], target: string): string {
  const named = target === 'default' ? [] : [`--target ${quoteForShell(target)}`]
  return ['callwright apply', ...flags, ...named].join(' ')
}

function forgetEntriesCommand({
  file,
  knowledgeBaseId,
  isNamed,
  inProject,
  refused,
}: FaqErrors['entries-refused']): string {
  if (inProject !== undefined) {
    const { address, target } = inProject
    return applyWith(
      refused.map(({ id }) => `--forget ${quoteForShell(`${address}:${id}`)}`),
      target,
    )
  }
  const kb = isNamed ? [] : [`--kb ${quoteForShell(knowledgeBaseId)}`]
  const ids = refused.map(({ id }) => `--forget ${quoteForShell(id)}`)
  return ['callwright faq push', quoteForShell(file), ...kb, ...ids].join(' ')
}

/** Message for a response that leaves open whether the request was carried out; undefined without a response. */
function unknownOutcome({ status, serviceMessage }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof status !== 'number' || (status >= 200 && status < 300)) return undefined
  const said = typeof serviceMessage === 'string' ? `: ${serviceMessage}` : ''
  return `outcome unknown (the service responded ${status}${said}); not retried`
}

/** A push that is a part of an apply has another way of sending open entries again. */
function waysOutOfBatch({ file, applied }: FaqErrors['batch-open']): string {
  const target = applied === undefined ? '' : ` --target ${applied.target}`
  const others =
    applied === undefined
      ? 'run again with --resend-unknown'
      : `callwright apply --forget ${applied.address} sends them again`
  return `look into the knowledge base. Entries that are there: write their ids into the file, or put them into another one, one per line in this order, and run callwright faq push ${file} --adopt-batch ids.txt${target}; the others: ${others}`
}

function listing({ file, unknown }: FaqErrors['ids-not-kept']): string {
  return unknown
    .map(({ line, question, id }) => {
      const what =
        question === undefined ? '(was there when it was sent, and is not now)' : JSON.stringify(question)
      return `\n  ${file}${line === undefined ? '' : `:${line}`}: ${what}${storedAs(id)}`
    })
    .join('')
}

function faultText(fault: BatchIdFault): string {
  return byCase('fault', fault, {
    empty: ({ file }) => `${file} holds no ids`,
    mixed: ({ file }) => `${file} mixes lines with a question and lines without`,
    malformed: ({ file, line }) => `${file}:${line} is no id`,
    repeated: ({ file, line, same }) => `${file}:${line} repeats line ${same}`,
    known: ({ line, id }) => `line ${line} has the id ${id}, which another entry has already`,
    'not-open': ({ line, question }) =>
      `line ${line} names a question that is not open: ${JSON.stringify(question)}`,
    count: ({ ids, open }) => `${count(ids, 'id')} cannot be matched by order with the ${open} open entries`,
  })
}
