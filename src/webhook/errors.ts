import { errorsOf } from '../lib/error.ts'
import type { CommandProblem } from '../lib/process/command-line.ts'

/** What receiving, recording, forwarding and sample events can fail for: each code with its details. */
export type WebhookErrors = {
  'cannot-record': { readonly path: string; readonly reason: string }
  /** Another tail records into the file; its process, where that is known. */
  'recorded-elsewhere': { readonly path: string; readonly pid?: number | undefined }
  'not-a-recording': { readonly path: string }
  'recording-unreadable': { readonly path: string; readonly reason: string }
  'recording-too-new': { readonly version: number }
  /** Nothing of a recording matches; `absent` did not come at all. */
  'nothing-selected': {
    readonly events: number
    readonly absent?: ({ readonly filter: 'type' | 'call' } & Clue) | undefined
  }
  /** A beginning of the ids of several recorded calls. */
  'ambiguous-call': { readonly beginning: string; readonly ids: readonly string[] }
  'events-not-kept': { readonly folder: string; readonly reason: string }
  'forwarded-elsewhere': { readonly path: string }
  'port-in-use': { readonly host: string; readonly port: number }
  'cannot-listen': {
    readonly host: string
    readonly port: number
    readonly reason: string
    /** The port is for privileged programs. */
    readonly isPrivileged: boolean
  }
  /** A command is not words alone, and there is no shell to read it. */
  'command-unreadable': {
    readonly runs: 'exec' | 'tunnel'
    readonly problem: CommandProblem
    readonly isWindows: boolean
  }
  'exec-not-found': { readonly program: string }
  /** A target of forwarding is the listener itself. */
  'forwards-to-itself': { readonly target: string }
  'no-tunnel-program': { readonly known: readonly string[] }
  'tunnel-not-found': { readonly program: string; readonly known: readonly string[] }
  'tunnel-not-started': { readonly program: string; readonly reason: string }
  'tunnel-without-url': {
    readonly program: string
    readonly seconds: number
    readonly printed: readonly string[]
  }
  'tunnel-ends': { readonly program: string; readonly reason: string; readonly printed: readonly string[] }
  'tunnel-closed': { readonly program: string }
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

/** What came instead of a word that was asked for: one that is like it, or the first ones that came. */
export interface Clue {
  readonly near?: string | undefined
  readonly seen: readonly string[]
  /** Whether there were more. */
  readonly more: boolean
}

export const webhookError = errorsOf<WebhookErrors>()
