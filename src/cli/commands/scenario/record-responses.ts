import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { escapeForTerminal } from '../../../lib/text/escape.ts'
import { cut, hang, plain } from '../../../lib/text/layout.ts'
import { renderLineDiff } from '../../../lib/text/line-diff.ts'
import { bold, dim, join, type Text, text } from '../../../lib/text/text.ts'
import type { CassetteChange, ChangedResponse } from '../../../scenario/cassette/index.ts'
import type { TestResult } from '../../../scenario/index.ts'
import type { Context } from '../../shell/context.ts'
import type { TestOptions } from './flags.ts'

/**
 * Shows what an update would record, and writes it when the person agrees.
 * @throws CallyardError `cancelled` for a no, `usage` and `conflict` for a cassette that cannot be written
 */
export async function recordResponses(
  changes: readonly CassetteChange[],
  results: readonly TestResult[],
  { yes }: TestOptions,
  { output, prompts, clock }: Context,
): Promise<void> {
  if (changes.length === 0) {
    const isDecided = results.every(({ status }) => status !== 'undecided')
    return output.note(
      isDecided
        ? 'Nothing to record: every request has a recorded response'
        : 'Nothing recorded: no model returned a readable response',
    )
  }
  const replies = changes.map(change => renderChange(change, output.width))
  output.note(join(replies, '\n\n'), { isRequested: true })
  const agreed =
    yes === true ||
    (await prompts.confirm({ message: `${workOf(changes, ['Write', 'Remove'])}?`, flag: '--yes' }))
  if (!agreed) throw new CallyardError('cancelled', 'cancelled; nothing was recorded')
  // All of them: what was agreed to is not half done.
  for (const change of changes) await change.write(clock)
  output.note(workOf(changes, ['Wrote', 'Removed']))
}

/** `Wrote a.cassette.yaml`, `Wrote 2 cassettes, removed 1 cassette`. */
function workOf(changes: readonly CassetteChange[], [write, remove]: readonly [string, string]): string {
  const kinds = [
    { verb: write, files: changes.filter(({ isUnused }) => !isUnused) },
    { verb: remove, files: changes.filter(({ isUnused }) => isUnused) },
  ].filter(({ files }) => files.length > 0)
  return kinds
    .map(({ verb, files: [first, ...others] }, index) => {
      const name =
        others.length === 0 && first !== undefined ? first.file : count(others.length + 1, 'cassette')
      return `${index === 0 ? verb : verb.toLowerCase()} ${name}`
    })
    .join(', ')
}

/** Renders the replies of the assistant before and now, turn by turn. */
function renderChange(change: CassetteChange, width: number): Text {
  const texts = change.responses.map(response => renderResponse(response, width))
  return join([text`${bold(change.file)}: ${summaryOf(change)}`, ...texts])
}

function summaryOf({ responses, removed, unreadable, isUnused }: CassetteChange): string {
  if (isUnused) return 'removed: no test uses it'
  return [
    ...(responses.length === 0 ? [] : [count(responses.length, 'new response')]),
    ...(removed === 0 ? [] : [`${removed} removed that no test asks for`]),
    ...(unreadable === 0 ? [] : [`${count(unreadable, 'line')} removed that cannot be read`]),
  ].join(', ')
}

function renderResponse({ row, turn, role, request, before, after }: ChangedResponse, width: number): Text {
  const location = `${row === undefined ? '' : `row ${row}, `}turn ${turn}${role === 'assistant' ? '' : `, ${role}`}`
  const [line = ''] = request.split('\n', 1)
  const head = text`  ${location}  ${dim(cut(escapeForTerminal(line), Math.max(minColumns, width - location.length - 4)))}`
  if (before === after) return join([head, hang('    ', 4, after, width, plain)])
  return join([head, renderLineDiff(before ?? '', after, { width, indent: 4, context: 2 })])
}

/** Columns of a request in a narrow terminal. */
const minColumns = 20
