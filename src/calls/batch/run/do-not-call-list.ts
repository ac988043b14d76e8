import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { doNotCallFile } from '../../../files/formats/batch.ts'
import { type Diagnostic, InvalidInput, loadTables } from '../../../files/source/index.ts'
import { foldHeading } from '../../../files/tables/index.ts'
import { byteOrderMark } from '../../../files/text/index.ts'
import type { Clock } from '../../../lib/clock.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../../lib/error.ts'
import { whileLocked } from '../../../lib/fs/file-lock.ts'
import { openLineFile } from '../../../lib/fs/line-file.ts'
import { replaceFile, syncFolder } from '../../../lib/fs/replace-file.ts'
import type { NumberReader } from '../../place/index.ts'
import { mapColumns } from '../columns.ts'
import { collectNumbers, readOwnList } from '../do-not-call.ts'

export interface OptOut {
  /** E.164. */
  readonly numbers: readonly string[]
  readonly call: string | null
  /** ISO 8601. */
  readonly at: string
  readonly words: string
}

const ownColumns = ['number', 'call', 'at', 'words'] as const

interface ListOptions {
  readonly folder: string
  /** Numbers of other lists, with the name of the list; they do not change. */
  readonly doNotCall: ReadonlyMap<string, string>
  readonly readNumber: NumberReader
}

/**
 * Opens the do-not-call list of a folder for a run, which looks into it before each call and adds to it. It is read again only after
 * others have changed it: another batch, or a person, may have added numbers.
 */
export function openDoNotCallList(
  { folder, doNotCall, readNumber }: ListOptions,
  { cwd, clock }: { readonly cwd: string; readonly clock: Clock },
) {
  const path = join(folder, doNotCallFile)
  let version: FileVersion | undefined
  let listed: { readonly numbers: Map<string, string>; readonly problems: readonly Diagnostic[] } = {
    numbers: new Map(),
    problems: [],
  }
  let file = ''

  const readAgain = async () => {
    const now = versionOf(path)
    if (isSame(now, version)) return
    const list = await readOwnList(folder, cwd)
    file = list?.table?.file ?? file
    listed = collectNumbers(list === undefined ? [] : [list], readNumber)
    version = now
  }
  const add = async ({ numbers, ...fields }: OptOut) => {
    await readAgain()
    const added = numbers.filter(number => !listed.numbers.has(number))
    if (added.length === 0) return
    const { withRows } = await loadTables()
    const before = await readFile(path).catch(emptyIfMissing)
    const toCells = (columns: readonly string[]) => added.map(number => rowOf({ ...fields, number }, columns))
    const { keptText, added: rows } = await withRows(before, { columns: ownColumns, toCells })
    if (!isUtf8(before)) return replaceFile(path, () => [byteOrderMark, keptText, rows], { mode: 0o600 })
    const size = await appendText(path, rows)
    if (before.length === 0) return syncFolder(folder)
    const now = versionOf(path)
    // Otherwise somebody has changed it meanwhile, and what they added is not known yet.
    if (typeof now !== 'object' || typeof version !== 'object') return
    if (now.inode !== version.inode || now.size !== version.size + size) return
    for (const number of added) listed.numbers.set(number, file)
    version = now
  }

  return {
    /**
     * Returns the list that one of the numbers is on now.
     * @throws InvalidInput when a changed list cannot be read: a number in it could be called
     */
    async find(numbers: readonly string[]): Promise<string | undefined> {
      await readAgain()
      if (listed.problems.length > 0) {
        version = undefined
        throw new InvalidInput(listed.problems, 'nobody else is called')
      }
      const listOf = (number: string) => doNotCall.get(number) ?? listed.numbers.get(number)
      return numbers.map(listOf).find(list => list !== undefined)
    },
    /**
     * Adds numbers to the list, which is created with mode 0600. Columns, delimiter and line ends of an existing list are kept; one that is
     * not in UTF-8 is converted. A number that is in it already, such as after a kill, is not added again. The rows are on the disk when the
     * promise resolves.
     * @throws CallyardError `usage` if the list cannot be written
     */
    async add(optOut: OptOut): Promise<void> {
      const cannotWrite = (error: unknown) =>
        new CallyardError('usage', `${path} cannot be written: ${getErrorReason(error)}`, {
          hint: `nobody else is called; add ${optOut.numbers.join(' and ')} to it yourself, then continue`,
          cause: error,
        })
      const inUse = () => cannotWrite(new Error('another callyard is writing it'))
      await whileLocked(path, { clock, inUse, cannotLock: cannotWrite }, () => add(optOut)).catch(error => {
        throw error instanceof CallyardError ? error : cannotWrite(error)
      })
    },
  }
}

type FileVersion = 'missing' | { readonly inode: number; readonly size: number; readonly changedAt: number }

/** Synchronous: before each call, a promise took longer than all else of a run. Undefined where the file cannot be looked at. */
function versionOf(path: string): FileVersion | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false })
    return status === undefined
      ? 'missing'
      : { inode: status.ino, size: status.size, changedAt: status.mtimeMs }
  } catch {
    return undefined
  }
}

function isSame(now: FileVersion | undefined, before: FileVersion | undefined): boolean {
  if (typeof now !== 'object' || typeof before !== 'object') return now === 'missing' && before === 'missing'
  return now.inode === before.inode && now.size === before.size && now.changedAt === before.changedAt
}

/** Returns the number of bytes. */
async function appendText(path: string, text: string): Promise<number> {
  const file = openLineFile(path)
  try {
    const before = file.size()
    await file.appendSynced(Buffer.from(file.torn ? text.replace(/^\r?\n/, '') : text))
    return file.size() - before
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
  const [numberIndex] = mapColumns(columns).map.to
  if (numberIndex === undefined) return [values.number ?? '']
  return columns.map((column, index) => {
    const own = ownColumns.find(ownColumn => ownColumn === foldHeading(column))
    return (index === numberIndex ? values.number : own && values[own]) ?? ''
  })
}
