import { errorsOf } from '../lib/error.ts'

/** Codes of failures of sample events, with their details. */
export type TriggerErrors = {
  /** No event has the field that is to be left out. */
  'field-not-there': { readonly path: string }
  /** A value cannot be put at a path. */
  'field-not-made': { readonly path: string; readonly problem: PlaceProblem; readonly at: string }
  'path-outside-message': { readonly path: string; readonly inner: string }
  /** The interface has no such field. */
  'field-unknown': { readonly path: string; readonly problem: UnknownField }
}

/** Why a value cannot be put at a place: `length` is that of a list whose next item is another one. */
export type PlaceProblem = 'no-list' | 'no-fields' | { readonly length: number }

/** What the interface does not have, at a path that leads there; an empty path is that of a message. */
export type UnknownField =
  /** A path goes on with an index where there is no list. */
  | { readonly is: 'no-list'; readonly at: string }
  /** A path goes on with a name, which `rest` begins with, where there is a list. */
  | { readonly is: 'list'; readonly at: string; readonly rest: string }
  /** `near` is the path that was probably meant; `names` are the fields that are there. */
  | {
      readonly is: 'unknown'
      readonly at: string
      readonly name: string
      readonly near: string | undefined
      readonly names: readonly string[]
    }

export const triggerError = errorsOf<TriggerErrors>()
