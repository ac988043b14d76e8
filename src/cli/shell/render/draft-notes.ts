import { byCase } from '../../../lib/by-case.ts'
import { count, listed } from '../../../lib/text/count.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { truncate } from '../../../lib/text/truncate.ts'
import type { DraftNote, Gap, Proposal, TestDraft } from '../../../scenario/record/index.ts'

/**
 * Returns the header lines of a test made from a call. `callId` is undefined if it must not be shown; `hasOthers` is true if some
 * expectations are in comments.
 */
export function draftNotes(
  { notes }: TestDraft,
  { callId, hasOthers }: { readonly callId: string | null | undefined; readonly hasOthers: boolean },
): string[] {
  return [
    typeof callId === 'string' ? `Created from call ${excerpt(callId)}.` : 'Created from a call.',
    ...(hasOthers
      ? ['The commented expectations also held in that call; uncomment those you want to keep.']
      : []),
    ...notes.flatMap(note => {
      const { message, hint } = noteWords(note)
      const line = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`
      return [hint === undefined ? `${line}.` : `${line}: ${hint}.`]
    }),
  ]
}

export function noteWords(note: DraftNote): { readonly message: string; readonly hint?: string } {
  return byCase('code', note, {
    'unknown-assistant'({ name, id }) {
      const assistantText = [name === undefined ? undefined : JSON.stringify(name), id]
        .filter(Boolean)
        .join(', ')
      return {
        message: `the assistant of the call is not in this project${assistantText === '' ? '' : `: ${excerpt(assistantText)}`}`,
        hint: 'add its name in the project, such as assistant: front-desk',
      }
    },
    'unknown-tool': ({ name }) => ({
      message: `the call used a tool that this project does not have: ${excerpt(name)}`,
      hint: 'it was left out',
    }),
    'unknown-answer': ({ name }) => ({
      message: `the recording does not contain the response of the tool ${excerpt(name)}`,
      hint: 'replace the response under tools, sent by webhook tail, with that of your server',
    }),
  })
}

const reasonWords = {
  fallback: 'the assistant did not know',
  success: 'the call was judged unsuccessful',
  data: 'the analysis says so',
} as const satisfies Record<keyof Gap['reasons'], string>

/** Returns the lines above a drafted entry. */
export function gapNotes(
  { count: times, calls, variants, reasons, nearest }: Gap,
  { namesCalls }: { readonly namesCalls: boolean },
): string[] {
  const reasonTexts = Object.entries(reasonWords).flatMap(([reason, words]) =>
    Object.hasOwn(reasons, reason) ? [words] : [],
  )
  return [
    `Asked ${count(times, 'time')} in ${count(calls.length, 'call')}: ${reasonTexts.join('; ')}.`,
    ...(namesCalls ? [`Calls: ${listed(calls.map(excerpt), maxCalls, ', and')}`] : []),
    ...(variants.length === 0 ? [] : [`Also: ${listed(variants.map(excerpt), maxVariants, ', and')}`]),
    ...(nearest === undefined ? [] : [nearestWords(nearest)]),
  ]
}

const maxCalls = 5
const maxVariants = 3

function nearestWords({ question, file, line, score, share }: NonNullable<Gap['nearest']>): string {
  const location = line === undefined ? file : `${file}:${line}`
  return `Near: ${excerpt(question)} (score ${score.toFixed(1)}, ${Math.round(share * 100)}% of the words), ${excerpt(location)}`
}

/** A proposal as a person chooses it, on one line. */
export function proposalWords({ kind, value, turn }: Proposal, { turns }: TestDraft): string {
  const line = turn === undefined ? undefined : turns[turn]?.line
  const where = turn === undefined ? 'the call' : line === undefined ? 'the beginning' : truncate(line, 30)
  const valueText = typeof value === 'string' ? value : JSON.stringify(value)
  return oneLine(`${where}: ${kind} ${truncate(valueText, 100)}`)
}

function excerpt(text: string): string {
  return oneLine(truncate(text, 100))
}
