import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { BatchFile } from '../../files/formats/batch.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { getErrorCode } from '../../lib/error.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { parseJson } from '../../lib/json.ts'
import type { Person } from './contacts.ts'

const recordName = 'batch.json'

const peopleSchema = z.record(z.string(), z.string())

const recordSchema = z.object({
  version: z.literal(1),
  /** Absolute path of the batch file or the list. */
  file: z.string(),
  /** Settings that flags gave. */
  settings: z.record(z.string(), z.unknown()),
  /** Settings of the last run. */
  batch: z.record(z.string(), z.unknown()),
  /** Hash of each person's row by id, at the last run: an object as JSON, because only a comparison needs it. */
  people: z.string(),
})

/** A batch as it was run last: by it, a batch is found by its name alone, and changes since then are shown. */
export type BatchRecord = z.infer<typeof recordSchema>

/** Reads the record of a batch. Returns undefined if there is none, or if it cannot be used. */
export async function readBatchRecord(folder: string): Promise<BatchRecord | undefined> {
  try {
    const parsed = recordSchema.safeParse(parseJson(await readFile(join(folder, recordName), 'utf8')))
    return parsed.success ? parsed.data : undefined
  } catch (error) {
    if (getErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** Writes the record of a batch, with mode 0600. @throws system errors */
export async function writeBatchRecord(
  folder: string,
  { people, ...record }: Omit<BatchRecord, 'version' | 'people'> & { readonly people: People },
): Promise<void> {
  const text = `${JSON.stringify({ version: 1, ...record, people: JSON.stringify(people) })}\n`
  await makeFolder(folder, 0o700)
  await replaceFile(join(folder, recordName), text, { mode: 0o600 })
}

type People = Readonly<Record<string, string>>

/** Returns the hash of each person's row by id. */
export function hashPeople(people: readonly Person[]): People {
  return Object.fromEntries(
    people.map(({ id, list, row }) => {
      const { columns, rows } = list.table
      const text = JSON.stringify([columns, rows.at(row)?.cells ?? []])
      return [id, createHash('sha256').update(text).digest('base64url').slice(0, 16)]
    }),
  )
}

/** Returns the settings of a batch without values from the environment, to be stored and shown. */
export function maskedBatch({
  batch,
  secretFields,
}: {
  readonly batch: BatchFile
  readonly secretFields: readonly FieldPath[]
}): Record<string, unknown> {
  const masked: Record<string, unknown> = structuredClone(batch)
  for (const path of secretFields) mask(masked, path)
  return masked
}

function mask(value: unknown, [field, ...rest]: FieldPath): void {
  if (field === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, field))
    return
  const object = value as Record<string | number, unknown>
  if (rest.length === 0) object[field] = '****'
  else mask(object[field], rest)
}

/** Differences between a batch and its last run. */
export interface BatchChanges {
  readonly settings: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
  /** Ids of people. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Compares a batch with its last run. */
export function compareBatch(before: BatchRecord, batch: BatchRecord['batch'], people: People): BatchChanges {
  const peopleBefore = peopleSchema.parse(parseJson(before.people))
  const fields = [...new Set([...Object.keys(before.batch), ...Object.keys(batch)])]
  const has = (list: People, id: string) => Object.hasOwn(list, id)
  return {
    settings: fields.flatMap(field => {
      const [old, now] = [before.batch[field], batch[field]]
      return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ field, before: old, after: now }]
    }),
    added: Object.keys(people).filter(id => !has(peopleBefore, id)),
    removed: Object.keys(peopleBefore).filter(id => !has(people, id)),
    changed: Object.keys(people).filter(id => has(peopleBefore, id) && people[id] !== peopleBefore[id]),
  }
}
