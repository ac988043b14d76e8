import { createHash } from 'node:crypto'

/** Fixed: consumers divide the partitions among themselves, so the number of an existing stream cannot change. */
export const partitionCount = 32

/** Stands for a missing account or call id. An id of this text is escaped. */
const missing = '-'
/** Start of a token that is a hash. It never starts an escaped text. */
const hashMark = '~'
const maxTokenLength = 128
const maxSubjects = 10_000
/** Ids that are, or contain, a phone number: subjects appear in logs, metrics and permissions of the broker. */
const likePhoneNumber = /\+\d{7,}|^[\d\s().+-]{7,}$/

/** Subjects of a stream, or of one of its partitions or calls: `<stream>.<partition>.<account>.<call>`. */
export function subjectFilter(stream: string, partition = '*', call = '*'): string {
  return `${stream}.${partition}.*.${call}`
}

/** Names of the partitions, `p00` to `p31`. */
export const partitions: readonly string[] = Array.from({ length: partitionCount }, (_, number) =>
  partitionName(number),
)

/** Parts of the subject of an event. */
export interface EventSubject {
  readonly account: string | null
  readonly call: string | null
}

/** Returns the subject of an event. Events of one call have the same partition in every relay and version. */
export function subjectOf(stream: string, { account, call }: EventSubject): string {
  return [stream, partitionOf(call), encodeToken(account), encodeToken(call)].join('.')
}

/** Remembers the subjects of recent calls: hashing and escaping ids takes longer. */
export function createSubjects(stream: string): (of: EventSubject) => string {
  let subjects = new Map<string, string>()
  return of => {
    const { account, call } = of
    const key = `${account === null ? '-' : `${account.length}:${account}`}${call === null ? '-' : `:${call}`}`
    const cachedSubject = subjects.get(key)
    if (cachedSubject !== undefined) return cachedSubject
    if (subjects.size >= maxSubjects) subjects = new Map()
    const subject = subjectOf(stream, of)
    subjects.set(key, subject)
    return subject
  }
}

/** Partition of a call: the first four bytes of the SHA-256 of its id in UTF-8, big-endian, modulo 32. `p00` to `p31`. */
export function partitionOf(call: string | null): string {
  const number =
    createHash('sha256')
      .update(call ?? '')
      .digest()
      .readUInt32BE(0) % partitionCount
  return partitionName(number)
}

function partitionName(number: number): string {
  return `p${String(number).padStart(2, '0')}`
}

/**
 * Encodes an id as one token of a subject. Letters, digits, `_` and `-` are kept; every other byte of its UTF-8 becomes `=2E`. Long ids,
 * ids with lone surrogates, and ids that look like phone numbers become `~` and their SHA-256.
 */
export function encodeToken(id: string | null): string {
  if (id === null) return missing
  if (likePhoneNumber.test(id) || !id.isWellFormed()) return hashed(id)
  if (id === '' || id === missing) return id === '' ? '=' : escapeBytes(Buffer.from(id))
  const token = /^[\w-]+$/.test(id) ? id : id.replaceAll(/[^\w-]+/gu, part => escapeBytes(Buffer.from(part)))
  return token.length > maxTokenLength ? hashed(id) : token
}

function escapeBytes(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase().replaceAll(/../g, '=$&')
}

/** UTF-16, so that ids that differ only in lone surrogates have different tokens. */
function hashed(id: string): string {
  return hashMark + createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('base64url')
}
