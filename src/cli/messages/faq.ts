import { byCase } from '../../lib/by-case.ts'
import { count } from '../../lib/text/count.ts'
import { meantHint } from '../../lib/text/did-you-mean.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import type { BatchIdFault, FaqErrors } from '../../project/faq/index.ts'
import { applyWith, processOf, storedAs, unknownOutcome } from './project.ts'
import type { Messages } from './words.ts'

export const faqMessages: Messages<FaqErrors> = {
  'file-gone': ({ file }) => ({ message: `${file} was deleted after it was read; none of it was sent` }),
  'file-changed': ({ file }) => ({
    message: `${file} was changed while it was being pushed`,
    hint: 'the file was left unchanged; run again to write the ids that the service assigned',
  }),
  'ledger-unreadable': ({ path }, { message }) => ({
    message: `cannot read ${path}: ${message}\nnothing was sent`,
    hint: 'check the permissions of the file and its folder',
  }),
  'ledger-damaged': ({ path }) => ({
    message: `${path} is damaged or was written by another version; nothing was sent`,
    hint: 'restore it; or delete it if every sent entry has its id in the file: entries with an id are updated again, others are inserted',
  }),
  'push-locked': ({ file, holder }) => ({
    message: `another push${processOf(holder)} of ${file} is running`,
    hint: 'wait until it has finished, then run again',
  }),
  'batch-closed': () => ({
    message: '--adopt-batch: this file has no open batch; nothing was sent',
    hint: 'run again without --adopt-batch',
  }),
  'batch-ids': fault => ({
    message: `--adopt-batch: ${faultText(fault)}; nothing was sent, nothing was written`,
    hint: 'write one id per line in the order of the batch, or lines id<TAB>question',
  }),
  'answer-lost': (batch, { message }) => ({
    message: `${unknownOutcome(batch) ?? message}\nit is unknown whether knowledge base ${batch.knowledgeBaseId} has these entries:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'answer-unclear': (batch, { message }) => ({
    message: `${message === '' ? '' : `${message}\n`}the response does not show for certain which ids these entries have:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'batch-open': batch => ({
    message: `an earlier push was interrupted while sending; it is unknown whether knowledge base ${batch.knowledgeBaseId} has these entries:${listing(batch)}`,
    hint: waysOutOfBatch(batch),
  }),
  'ids-not-kept': (batch, { message }) => ({
    message: `the service stored these entries, but their ids could not be saved (${message}):${listing(batch)}`,
    hint: 'write these ids into the file before you run again',
  }),
  'ids-not-written': ({ file, count, keptIn }, { message, hint }) => ({
    message: `${message}\n${
      count === 1
        ? `1 entry is stored; its id is in ${keptIn}, and the next run writes it into ${file}`
        : `${count} entries are stored; their ids are in ${keptIn}, and the next run writes them into ${file}`
    }`,
    hint,
  }),
  'update-not-recorded': ({ count }, { message, hint }) => ({
    message: `${message}\n${
      count === 1
        ? '1 entry was updated, but that could not be recorded: the next run updates it again'
        : `${count} entries were updated, but that could not be recorded: the next run updates them again`
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
    message: `${file} would be about ${size} MB with the ids of its entries (limit: ${max} MB); nothing was sent`,
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
    message: `${message}; ${done} of ${total} entries were pushed`,
    hint: 'run again to send the rest',
  }),
  'push-in-part': ({ done, total }, { message, hint }) => ({
    message: `${done} of ${total} entries were pushed, then: ${message}`,
    hint: hint ?? 'fix this, then run it again to send the rest',
  }),
  'nothing-sent': ({ pendingFile }, { message, hint }) => ({
    message: `${message}\nnothing was sent${
      pendingFile === undefined ? '' : `; unfinished work of an earlier push is still in ${pendingFile}`
    }`,
    hint,
  }),
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
  return ['callyard faq push', quoteForShell(file), ...kb, ...ids].join(' ')
}

/** A push that is a part of an apply has another way of sending open entries again. */
function waysOutOfBatch({ file, applied }: FaqErrors['batch-open']): string {
  const target = applied === undefined ? '' : ` --target ${applied.target}`
  const others =
    applied === undefined ? 'run again with --resend-unknown' : `callyard apply --forget ${applied.address}`
  return `check the knowledge base. For entries that exist, write their ids into the file, or into ids.txt, one per line in this order, and run callyard faq push ${file} --adopt-batch ids.txt${target}; for the others, ${others}`
}

function listing({ file, unknown }: FaqErrors['ids-not-kept']): string {
  return unknown
    .map(({ line, question, id }) => {
      const what = question === undefined ? '(no longer in the file)' : JSON.stringify(question)
      return `\n  ${file}${line === undefined ? '' : `:${line}`}: ${what}${storedAs(id)}`
    })
    .join('')
}

function faultText(fault: BatchIdFault): string {
  return byCase('fault', fault, {
    empty: ({ file }) => `${file} contains no ids`,
    mixed: ({ file }) => `${file} mixes lines with and without a question`,
    malformed: ({ file, line }) => `${file}:${line} is not an id`,
    repeated: ({ file, line, same }) => `${file}:${line} repeats line ${same}`,
    known: ({ line, id }) => `line ${line} has the id ${id} of another entry`,
    'not-open': ({ line, question }) =>
      `line ${line} names a question that is not open: ${JSON.stringify(question)}`,
    count: ({ ids, open }) => `${count(ids, 'id')} cannot be matched by order with the ${open} open entries`,
  })
}
