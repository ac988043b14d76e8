import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { doNotCallFile } from '../interface/batch.ts'
import type { Clock } from '../lib/clock.ts'
import { CallwrightError, getErrorCode, getErrorReason } from '../lib/error.ts'
import { lockFile } from '../lib/fs/file-lock.ts'
import { openLineFile } from '../lib/fs/line-file.ts'
import { replaceFile, syncFolder } from '../lib/fs/replace-file.ts'
import { loadListReader } from '../source/index.ts'
import { foldColumn, mapColumns } from './columns.ts'
import { collectNumbers, readOwnList, versionOf } from './do-not-call.ts'

export interface OptOut {
  /** E.164. */
  readonly numbers: readonly string[]
  readonly call: string | null
  /** ISO 8601. */
  readonly at: string
  readonly words: string
}

const ownColumns = ['number', 'call', 'at', 'words'] as const
const lockWaitMs = 10_000

/**
 * Creates a function that adds numbers to the do-not-call list of a folder, which is created with mode 0600. Columns, delimiter and line
 * ends of an existing list are kept; one that is not in UTF-8 is converted. A number that is in it already, such as after a kill, is not
 * added again. The rows are on the disk when the function resolves.
 * @throws CallwrightError `usage` if the list cannot be written
 */
export function createOptOutList(folder: string, { clock }: { readonly clock: Clock }) {
  const path = join(folder, doNotCallFile)
  let listed = new Set<string>()
  let version = ''
  /** Reads the list again only after others have changed it: parsing it takes longer than all else. */
  const add = async ({ numbers, ...known }: OptOut) => {
    if (versionOf(path) !== version) listed = await readListed(folder)
    const added = numbers.filter(number => !listed.has(number))
    if (added.length === 0) return
    const { withRows } = await loadListReader()
    const before = await readFile(path).catch(emptyIfMissing)
    const toCells = (columns: readonly string[]) => added.map(number => rowOf({ ...known, number }, columns))
    const { kept, added: rows } = withRows(before, { columns: ownColumns, toCells })
    if (isUtf8(before)) await appendText(path, rows)
    else await replaceFile(path, () => [byteOrderMark, kept, rows], { mode: 0o600 })
    if (before.length === 0) await syncFolder(folder)
    for (const number of added) listed.add(number)
    version = versionOf(path)
  }
  return async (optOut: OptOut): Promise<void> => {
    const cannotWrite = (error: unknown) =>
      new CallwrightError('usage', `${path} cannot be written: ${getErrorReason(error)}`, {
        hint: `nobody else is called; add ${optOut.numbers.join(' and ')} to it yourself, then continue`,
        cause: error,
      })
    const inUse = () => cannotWrite(new Error('another callwright is writing it'))
    const lock = await lockFile(path, { clock, waitMs: lockWaitMs, inUse, cannotLock: cannotWrite })
    try {
      await add(optOut)
    } catch (error) {
      throw cannotWrite(error)
    } finally {
      await lock.release()
    }
  }
}

/** Numbers of the list as they are written. */
async function readListed(folder: string): Promise<Set<string>> {
  const own = await readOwnList(folder, { cwd: folder })
  return new Set(
    collectNumbers(own === undefined ? [] : [own], text => ({ number: text.trim() })).numbers.keys(),
  )
}

async function appendText(path: string, text: string): Promise<void> {
  const file = openLineFile(path)
  try {
    await file.appendSynced(Buffer.from(file.torn ? text.replace(/^\r?\n/, '') : text))
  } finally {
    file.close()
  }
}

function emptyIfMissing(error: unknown): Buffer {
  if (getErrorCode(error) === 'ENOENT') return Buffer.alloc(0)
  throw error
}

/** A list without a column for the number is one of numbers. */
function rowOf(
  values: Readonly<Record<(typeof ownColumns)[number], string | null>>,
  columns: readonly string[],
): string[] {
  const [place] = mapColumns(columns, {}, []).map.to
  if (place === undefined) return [values.number ?? '']
  return columns.map((column, index) => {
    const own = ownColumns.find(each => each === foldColumn(column))
    return (index === place ? values.number : own && values[own]) ?? ''
  })
}

const byteOrderMark = '\ufeff'
