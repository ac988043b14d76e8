import { stat } from 'node:fs/promises'
import { withoutMark } from '../../files/text/index.ts'
import { CallyardError, describeFileError, getErrorCode } from '../../lib/error.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import type { TestCase } from '../test-case.ts'
import { type CassetteEntry, entryKey, parseCassette } from './cassette-text.ts'

export type Cassette = Awaited<ReturnType<typeof openCassette>>

export interface CassetteFile {
  /** Absolute. */
  readonly path: string
  /** Display name. */
  readonly file: string
}

export interface UnusedCassette extends CassetteFile {
  /** Project folder, or the folder of the cassette. */
  readonly folder: string
}

/** 0-based indices that sort the entries of the file. */
type Order = readonly [test: number, attempt: number, request: number]

/** Returns `hours.cassette.ndjson` for `hours.test.yaml`, in the same folder. */
export function toCassettePath(testFile: string): string {
  return `${testFile.replace(/(?:\.test)?\.[^./\\]*$/i, '')}.cassette.ndjson`
}

/** True for the same test with a different number of repetitions. */
export function isSameTest(one: TestCase, other: TestCase): boolean {
  return one.id === other.id && one.path === other.path
}

/**
 * Opens a cassette, which may not exist yet. `path` is absolute; `file` is the display name.
 * @throws CallyardError `invalid` if the file exists but cannot be read
 */
export async function openCassette(path: string, file: string) {
  const text = await readCassetteFile(path, file)
  const { entries: recorded, parseErrors } = parseCassette(text ?? '')
  const entries = new Map(recorded.map(entry => [entryKey(entry), entry]))
  const pending = new Map<string, Promise<CassetteEntry>>()
  const orders = new Map<CassetteEntry, Order>()
  return {
    path,
    file,
    /** Undefined if the file does not exist. */
    text,
    flaws: parseErrors,
    /** Entries in the order of the file. */
    recorded,
    find: (key: string) => entries.get(key),
    /** Marks an entry as used. `order` is its position in an updated file. */
    markUsed(entry: CassetteEntry, order: Order): void {
      const before = orders.get(entry)
      if (before === undefined || compareOrders(order, before) < 0) orders.set(entry, order)
    },
    /** Returns the used entries in order. */
    used: () => [...orders].sort(([, one], [, other]) => compareOrders(one, other)).map(([entry]) => entry),
    /** Adds the entry that `make` returns. Concurrent calls with the same key share one request. */
    add(key: string, make: () => Promise<CassetteEntry>): Promise<CassetteEntry> {
      const cachedEntry = pending.get(key)
      if (cachedEntry !== undefined) return cachedEntry
      const newEntry = make()
        .then(entry => {
          entries.set(key, entry)
          return entry
        })
        .finally(() => pending.delete(key))
      pending.set(key, newEntry)
      return newEntry
    },
    async waitForPending(): Promise<void> {
      while (pending.size > 0) await Promise.allSettled(pending.values())
    },
  }
}

/** Memory use is about three times the file size. */
const maxBytes = 32 * 1024 * 1024

/** @throws CallyardError `invalid` if the cassette is too large */
export function assertCassetteSize(bytes: number, file: string): void {
  if (bytes > maxBytes)
    throw new CallyardError('invalid', `${file} is larger than ${maxBytes / 1024 ** 2} MB`, {
      code: 'cassette-too-large',
      hint: 'move some of its tests to another file; each test file has its own cassette',
      details: { file, maxBytes },
    })
}

/** Returns undefined if the file does not exist. @throws CallyardError `invalid` if it cannot be read or is too large */
export async function readCassetteFile(path: string, file: string): Promise<string | undefined> {
  try {
    assertCassetteSize((await stat(path)).size, file)
    return withoutMark((await readFile(path)).toString())
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    if (error instanceof CallyardError) throw error
    const reason = describeFileError(error)
    throw new CallyardError('invalid', `cannot read ${file}: ${reason}`, {
      code: 'cassette-unreadable',
      hint: 'check that it is a file, and its permissions',
      details: { file, reason },
      cause: error,
    })
  }
}

function compareOrders(one: Order, other: Order): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2]
}
