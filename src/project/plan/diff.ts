import { isDeepStrictEqual } from 'node:util'
import { type Address, toAddress } from '../../files/formats/address.ts'
import { parseTemplate, type TemplateSegment } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { isObject, mapTexts, textsIn } from '../../lib/json.ts'
import type { Snapshot } from '../lockfile/index.ts'
import { notes } from './notes.ts'
import type { FieldChange } from './plan-schema.ts'

/**
 * Compares the sent values field by field, in the order of the new body. Recurses into mappings; lists are compared as a whole. Text
 * that moved unchanged into an included file is not a difference, and neither is the order of fields. Pure.
 */
export function diffSnapshots(before: Snapshot, after: Snapshot): FieldChange[] {
  return diffFields(before.body, after.body, [], { before, after })
}

interface Sides {
  readonly before: Snapshot
  readonly after: Snapshot
}

type Fields = Readonly<Record<string, unknown>>

function diffFields(before: Fields, after: Fields, path: FieldPath, sides: Sides): FieldChange[] {
  const changedFields = Object.keys(after).flatMap((key): FieldChange[] => {
    const here = [...path, key]
    if (!Object.hasOwn(before, key))
      return [{ path: here, kind: 'added', after: toShownValue(after[key], sides.after), notes: [] }]
    return diffValue(before[key], after[key], here, sides)
  })
  const removed = Object.keys(before).flatMap((key): FieldChange[] =>
    Object.hasOwn(after, key)
      ? []
      : [
          {
            path: [...path, key],
            kind: 'removed',
            before: toShownValue(before[key], sides.before),
            notes: [],
          },
        ],
  )
  return [...changedFields, ...removed]
}

function diffValue(before: unknown, after: unknown, path: FieldPath, sides: Sides): FieldChange[] {
  if (isObject(before) && isObject(after)) return diffFields(before, after, path, sides)
  if (isDeepStrictEqual(toSentValue(before, sides.before), toSentValue(after, sides.after))) return []
  return [
    {
      path,
      kind: 'changed',
      before: toShownValue(before, sides.before),
      after: toShownValue(after, sides.after),
      notes: notesOn(before, after, sides),
    },
  ]
}

/** Marks what was a text: `''` is not the empty list. */
const pieces = Symbol('pieces')

/** Returns the sent value as far as the snapshot has it: hashes for secrets, ids for references, independent of the order of fields. */
function toSentValue(value: unknown, snapshot: Snapshot): unknown {
  return mapTexts(value, text => ({
    [pieces]: mergeTexts(parseTemplate(text).map(segment => pieceOf(segment, snapshot))),
  }))
}

/** Text, or a placeholder for a secret or an unknown id. */
type Piece = string | { readonly hash: string } | { readonly idOf: Address }

function pieceOf(segment: TemplateSegment, { env, files, ids }: Snapshot): Piece {
  if (segment.kind === 'text') return segment.text
  if (segment.kind === 'file') return files?.[segment.path]?.text ?? segment.written
  if (segment.kind === 'env') {
    const hash = env?.[segment.name]
    return hash === undefined ? (segment.fallback ?? '') : { hash }
  }
  if (segment.kind === 'resource') {
    const address = toAddress(segment.resource.kind, segment.resource.name)
    return ids?.[address] ?? { idOf: address }
  }
  return segment.written
}

/** Texts beside each other are one: a file may have been included in pieces before. */
function mergeTexts(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece
    else if (piece !== '') merged.push(piece)
  }
  return merged
}

/** Returns the displayed form of a value: included text inlined, everything else unresolved. */
function toShownValue(value: unknown, { files }: Snapshot): unknown {
  const shownSegment = (segment: TemplateSegment) => {
    if (segment.kind === 'text') return segment.text
    return segment.kind === 'file' ? (files?.[segment.path]?.text ?? segment.written) : segment.written
  }
  return mapTexts(value, text => parseTemplate(text).map(shownSegment).join(''))
}

/** Why a value is sent although it may look the same. */
function notesOn(before: unknown, after: unknown, { before: old, after: now }: Sides): string[] {
  const was = referencesIn(before)
  return [...referencesIn(after).values()].flatMap((segment): string[] => {
    if (!was.has(segment.written)) return []
    if (segment.kind === 'env') {
      return old.env?.[segment.name] === now.env?.[segment.name]
        ? []
        : [notes.changedValue([segment.written])]
    }
    if (segment.kind !== 'resource') return []
    const address = toAddress(segment.resource.kind, segment.resource.name)
    const id = now.ids?.[address]
    if (old.ids?.[address] === id) return []
    const reference = segment.written
    if (id === undefined) return [notes.newId(reference)]
    // The id of a knowledge base may have come from the environment.
    return [notes.changedId(reference, segment.resource.kind === 'kb' ? undefined : id)]
  })
}

function referencesIn(value: unknown) {
  const segmentsByText = new Map<string, TemplateSegment & { written: string }>()
  for (const [, text] of textsIn(value))
    for (const segment of parseTemplate(text))
      if (segment.kind !== 'text') segmentsByText.set(segment.written, segment)
  return segmentsByText
}
