import { decodeText, withoutMark } from '../../../files/text/index.ts'
import { CallyardError, describeFileError, getErrorCode, getErrorReason } from '../../../lib/error.ts'
import { readFile } from '../../../lib/fs/read-file.ts'
import { count } from '../../../lib/text/count.ts'
import { Problem, type RecordEntry, type World } from '../../../sandbox/index.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'

/** Reads the JSON of a snapshot; `-` is stdin. The receiving sandbox validates it. */
export async function readSnapshotFile(file: string, context: Context): Promise<unknown> {
  const text = file === '-' ? await context.host.stdin.text() : await read(file, context)
  try {
    return JSON.parse(withoutMark(text))
  } catch (error) {
    throw new CallyardError('invalid', `${shownName(file)} is not JSON: ${getErrorReason(error)}`, {
      ...suggest`create a snapshot: ${['sandbox', 'export']}`,
    })
  }
}

async function read(file: string, { resolve }: Context): Promise<string> {
  try {
    const decoded = decodeText(await readFile(resolve(file)))
    if ('error' in decoded) throw new Error(decoded.error.message)
    return decoded.text
  } catch (error) {
    const reason = getErrorCode(error) === 'ENOENT' ? 'it is not there' : describeFileError(error)
    throw new CallyardError('invalid', `cannot read snapshot ${file}: ${reason}`, {
      ...suggest`create one: ${['sandbox', 'export']}, or pass --snapshot-on-exit`,
      cause: error,
    })
  }
}

export function shownName(file: string): string {
  return file === '-' ? 'stdin' : file
}

export function snapshotText(snapshot: unknown): string {
  return `${JSON.stringify(snapshot, null, 2)}\n`
}

/** Puts the records of a snapshot into a world. @throws CallyardError `invalid` that names the field */
export async function restoreFrom(file: string, snapshot: unknown, world: World): Promise<void> {
  await world.restore(snapshot).catch(error => {
    if (!(error instanceof Problem)) throw error
    throw new CallyardError('invalid', `${shownName(file)} is not a sandbox snapshot: ${error.message}`, {
      hint: error.options.hint,
      cause: error,
    })
  })
}

/** `2 assistants, 1 tool, 40 FAQ entries, 3 calls`, or `no records`. */
export function describeContent(entries: readonly RecordEntry[]): string {
  const number = (kind: string) => entries.filter(entry => entry.kind === kind).length
  const faq = entries.flatMap(entry => (entry.kind === 'faq' ? entry.entries : [])).length
  const parts = [
    { number: number('assistant'), one: 'assistant' },
    { number: number('tool'), one: 'tool' },
    { number: faq, one: 'FAQ entry', many: 'FAQ entries' },
    { number: number('call'), one: 'call' },
  ].filter(({ number }) => number > 0)
  return parts.length === 0
    ? 'no records'
    : parts.map(({ number, one, many }) => count(number, one, many)).join(', ')
}
