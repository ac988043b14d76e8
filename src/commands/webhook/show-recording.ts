import { extname, relative } from 'node:path'
import type { Context, Output } from '../../cli/context.ts'
import { writePrivateFile } from '../../cli/private-file.ts'
import { CallwrightError } from '../../lib/error.ts'
import { listed } from '../../lib/text/count.ts'
import { beginningHint, findByBeginning, shortId } from '../../lib/text/did-you-mean.ts'
import { bold, dim, paint, text } from '../../lib/text/text.ts'
import {
  callTable,
  isCall,
  jsonDocument,
  renderDocument,
  type TranscriptFormat,
} from '../../transcript/index.ts'
import {
  type CallChoice,
  type CallTranscript,
  callName,
  isRereadable,
  readRecording,
  readTranscripts,
  selectCalls,
  type Transcripts,
} from '../../webhook/index.ts'
import { doubtText } from './print-events.ts'
import type { ShowOptions } from './show.ts'

/** `webhook show`: what was said in a recorded call, as a document; a table of the calls where there are several. */
export async function show(file: string, options: ShowOptions, context: Context): Promise<void> {
  const { output } = context
  const { out } = options
  const format = chooseFormat(options, output)
  const path = context.resolve(file)
  const only = (await isRereadable(path))
    ? await selectCalls(readRecording(path), choiceOf(options))
    : undefined
  const transcripts = await readTranscripts(readRecording(path), { only })
  warnOfSkipped(transcripts, context)
  const chosen = chosenCalls(transcripts.calls, { ...options, file })
  const isShown = (chosen ?? transcripts.calls).some(({ callId }) => callId === null)
  if (transcripts.isDoubtful && isShown) output.warn(...doubtText)
  if (chosen === undefined && out === undefined && (options.format === undefined || format === 'json'))
    return list(transcripts.calls, format, output)
  const calls = chosen ?? askForChoice(transcripts.calls, { file, output })
  if (out === undefined) return print(calls, format, output)
  const document = renderDocument(calls, { format, width: fileWidth, withOverview: options.all === true })
  // Byte order mark: without it Excel reads Windows-1252.
  const mark = format === 'csv' ? '\ufeff' : ''
  await writePrivateFile(
    out,
    `${mark}${paint(document, { color: false })}\n`,
    { force: options.force === true },
    context,
  )
  output.result({ file: out, format, calls: calls.map(({ callId }) => callId) }, () => {
    const what = calls.length === 1 ? shortId(calls[0]?.callId ?? 'call without id') : `${calls.length} calls`
    return text`Wrote ${bold(out)}: ${what} as ${format}`
  })
}

/** The part of the selection that needs call names alone; conflicting flags are rejected later. */
function choiceOf({ call, last, all }: ShowOptions): CallChoice {
  if (all === true) return {}
  return call === undefined ? { last } : { calls: [call] }
}

/** Text and Markdown are drawn call by call: a recording may hold many. */
async function print(
  calls: readonly CallTranscript[],
  format: TranscriptFormat,
  output: Output,
): Promise<void> {
  const { json, width } = output
  if (json || format === 'json' || format === 'html' || format === 'csv')
    return output.result(jsonDocument(calls), () => renderDocument(calls, { format, width }))
  for (const [index, call] of calls.entries()) {
    const document = renderDocument([call], { format, width })
    output.result(call, () => (index === 0 ? document : ['\n', document]))
    await output.drained()
  }
}

/** As JSON they are what `--all` prints: one shape, however many there are. */
function list(calls: Transcripts['calls'], format: TranscriptFormat, output: Output): void {
  const { width, json } = output
  const isTable = format !== 'json'
  output.result(jsonDocument(calls), () =>
    isTable ? callTable(calls, width) : renderDocument(calls, { format, width }),
  )
  if (isTable && !json)
    output.note(dim('Show one with --call <id>, or the beginning of its id; --last; or --all.'))
}

/** Columns of text in a file. */
const fileWidth = 80

const formatsByEnding: Readonly<Record<string, TranscriptFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
  '.csv': 'csv',
  '.txt': 'text',
}

function chooseFormat({ format, out }: ShowOptions, { json }: Output): TranscriptFormat {
  if (out !== undefined) {
    const found = format ?? formatsByEnding[extname(out).toLowerCase()]
    if (found !== undefined) return found
    throw new CallwrightError('usage', `--out ${out}: unknown extension`, {
      hint: `use ${listed(Object.keys(formatsByEnding), 9, ' or')}, or give --format`,
    })
  }
  if (json && format !== undefined && format !== 'json') {
    throw new CallwrightError('usage', `--json prints JSON, --format ${format} something else`, {
      hint: 'leave one of them out, or write the document with --out',
    })
  }
  return format ?? 'text'
}

export function warnOfSkipped(
  { skipped, unreadable }: Pick<Transcripts, 'skipped' | 'unreadable'>,
  { output, cwd }: Pick<Context, 'output' | 'cwd'>,
): void {
  for (const { file, line } of skipped.filter(({ torn }) => torn))
    output.warn(
      `${file}:${line}: the last line has no end: it was being written when the recording ended; skipped`,
    )
  const [first, ...more] = skipped.filter(({ torn }) => !torn)
  if (first !== undefined) {
    const others = more.length === 0 ? '' : `, and ${more.length} more`
    output.warn(`${relative(cwd, first.file)}:${first.line}${others}: no recorded event; skipped`)
  }
  if (unreadable > 0)
    output.warn(
      `${unreadable} recorded ${unreadable === 1 ? 'body is' : 'bodies are'} no webhook event; skipped`,
    )
}

type ChosenBy = Pick<ShowOptions, 'call' | 'all' | 'last'> & { readonly file: string }

/**
 * The calls that are meant: that of `--call`, the newest with `--last`, all with `--all`, the only one; undefined where
 * several remain.
 * @throws CallwrightError `usage` when there is no such call
 */
export function chosenCalls(
  calls: readonly CallTranscript[],
  { file, call: wanted, all, last }: ChosenBy,
): readonly CallTranscript[] | undefined {
  const given = [wanted !== undefined && '--call', last === true && '--last', all === true && '--all']
  const [one, other] = given.filter(flag => flag !== false)
  if (one !== undefined && other !== undefined)
    throw new CallwrightError('usage', `${one} and ${other} exclude each other`, {
      hint: 'leave one of them out',
    })
  if (calls.length === 0) throw new CallwrightError('invalid', `${file} holds no call`)
  if (wanted !== undefined) return [byId(calls, wanted, file)]
  if (last === true) return [calls.findLast(isCall) ?? calls.slice(-1)].flat()
  return all === true || calls.length === 1 ? calls : undefined
}

/** Lists the calls on stderr. @throws CallwrightError `usage` that asks for a choice, always */
function askForChoice(
  calls: readonly CallTranscript[],
  { file, output }: { readonly file: string; readonly output: Context['output'] },
): never {
  output.note(callTable(calls, output.width))
  throw new CallwrightError('usage', `${file} holds ${calls.length} calls`, {
    hint: 'choose one with --call <id> or --last, or take them all with --all',
    details: { calls: calls.map(summary) },
  })
}

function byId(calls: readonly CallTranscript[], wanted: string, file: string): CallTranscript {
  const found = findByBeginning(wanted, calls, callName)
  if (found.kind === 'found') return found.item
  const message =
    found.kind === 'missing'
      ? `${file} holds no call ${wanted}`
      : `${file} holds ${found.candidates.length} calls whose ids begin with ${wanted}`
  throw new CallwrightError('usage', message, {
    hint: beginningHint(found, callName, { short: true }) ?? 'without --call the calls are listed',
    details: { calls: calls.map(summary) },
  })
}

function summary({ callId, firstAt, userNumber, assistantNumber, messages, statuses }: CallTranscript) {
  return {
    callId,
    firstAt,
    userNumber,
    assistantNumber,
    messages: messages.length,
    status: statuses.at(-1)?.status ?? null,
  }
}
