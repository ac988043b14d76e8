import { defineErrors } from '../../lib/error.ts'

export type TriggerErrors = {
  'field-not-there': { readonly path: string }
  /** A value cannot be put at a path. */
  'field-not-made': { readonly path: string; readonly problem: PlaceProblem; readonly at: string }
  'path-outside-message': { readonly path: string; readonly inner: string }
  'field-unknown': { readonly path: string; readonly problem: UnknownField }
}

/** Why a value cannot be put at a place: `length` is that of a list whose next item is another one. */
export type PlaceProblem = 'no-list' | 'no-fields' | { readonly length: number }

/** A field that the interface does not have, with its path; an empty path is the message. */
export type UnknownField =
  /** The path has an index where the value is not a list. */
  | { readonly is: 'no-list'; readonly at: string }
  /** The path has a name (the start of `rest`) where the value is a list. */
  | { readonly is: 'list'; readonly at: string; readonly rest: string }
  /** `near` is the path that was probably meant; `names` are the fields that are there. */
  | {
      readonly is: 'unknown'
      readonly at: string
      readonly name: string
      readonly near: string | undefined
      readonly names: readonly string[]
    }

export const triggerError = defineErrors<TriggerErrors>()
