import type { CallwrightError } from '../../lib/error.ts'
import { webhookError } from '../errors.ts'
import { findUnknownPlace } from './event-fields.ts'
import {
  formatAssignmentPath,
  NoSuchPlace,
  type Path,
  stepsThere,
  withoutValue,
  withValue,
} from './field-path.ts'
import type { SampleEvent } from './sample-events.ts'

/** One `--set path=value`. */
export interface Assignment {
  readonly path: Path
  /** As JSON, where it reads as such; else the text. */
  readonly value: unknown
}

export interface AssignOptions {
  /** Whether names of the path and inside the value may be ones that the interface does not have. */
  readonly allowUnknown: boolean
}

/**
 * Events with fields of their messages changed, one assignment after the other. Of several events those are changed
 * that have the most of the path already: `call.endAt` is changed where the call has ended, `messages[0].text` where
 * something was said, a new field of `call` everywhere.
 * @throws CallwrightError `usage` for a name that no message has, or a place that cannot be made
 */
export function assignAll(
  events: readonly SampleEvent[],
  assignments: readonly Assignment[],
  options: AssignOptions,
): SampleEvent[] {
  return assignments.reduce<SampleEvent[]>(
    (changed, assignment) => assign(changed, assignment, options),
    [...events],
  )
}

/**
 * Events without the fields at these paths (`--unset`); those that have none stay as they are.
 * @throws CallwrightError `usage` for a path that no event has
 */
export function unsetAll(events: readonly SampleEvent[], paths: readonly Path[]): SampleEvent[] {
  return paths.reduce<SampleEvent[]>(
    (changed, path) => {
      if (!changed.some(({ message }) => stepsThere(message, path) === path.length))
        throw webhookError('usage', 'field-not-there', { path: formatAssignmentPath(path) })
      return changed.map(({ message }) => ({
        message: Object.fromEntries(Object.entries(withoutValue(message, path) ?? {})),
      }))
    },
    [...events],
  )
}

function assign(
  events: readonly SampleEvent[],
  assignment: Assignment,
  { allowUnknown }: AssignOptions,
): SampleEvent[] {
  const { path } = assignment
  const unknown = allowUnknown ? undefined : unknownPlace(assignment)
  if (unknown !== undefined) throw unknown
  const there = events.map(({ message }) => stepsThere(message, path))
  const most = Math.max(...there)
  try {
    return events.map((event, index) =>
      there[index] === most ? { message: changedMessage(event.message, assignment) } : event,
    )
  } catch (error) {
    if (!(error instanceof NoSuchPlace)) throw error
    throw webhookError('usage', 'field-not-made', { path: formatAssignmentPath(path), reason: error.message })
  }
}

function changedMessage(message: SampleEvent['message'], { path, value }: Assignment) {
  return Object.fromEntries(Object.entries(withValue(message, path, value) ?? {}))
}

function unknownPlace({ path, value }: Assignment): CallwrightError | undefined {
  const [first, ...more] = path
  if (first === 'message' && more.length > 0) {
    const inner = formatAssignmentPath(more)
    return webhookError('usage', 'path-outside-message', { path: formatAssignmentPath(path), inner })
  }
  const found = findUnknownPlace(path, value)
  if (found === undefined) return undefined
  const { message: reason, hint: advice } = found
  return webhookError('usage', 'field-unknown', { path: formatAssignmentPath(path), reason, advice })
}
