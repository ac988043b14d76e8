import { CliError } from '../../errors.ts'
import { didYouMean } from '../../interface/did-you-mean.ts'
import { formatPath, NoSuchPlace, type Path, stepsThere, valueAt, withValue } from './field-path.ts'
import type { SampleEvent } from './sample-events.ts'

/** One `--set path=value`. */
export interface Assignment {
  readonly path: Path
  /** As it was typed. */
  readonly text: string
  /** As JSON, where it is JSON; else the text. */
  readonly value: unknown
}

export interface AssignOptions {
  /** Whether the first name may be one that the interface does not have. */
  readonly allowUnknown: boolean
}

/**
 * Events with fields of their messages changed, one assignment after the other. Of several events those are changed
 * that have the most of the path already: `call.endAt` is changed where the call has ended, `messages[0].text` where
 * something was said, a new field of `call` everywhere.
 * @throws CliError `usage` for a name that no message has, or a place that cannot be made
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

function assign(
  events: readonly SampleEvent[],
  assignment: Assignment,
  { allowUnknown }: AssignOptions,
): SampleEvent[] {
  const { path } = assignment
  if (!allowUnknown && !messageFields.includes(path[0])) throw unknownField(path)
  const there = events.map(({ message }) => stepsThere(message, path))
  const most = Math.max(...there)
  try {
    return events.map((event, index) =>
      there[index] === most ? { message: changedMessage(event.message, assignment) } : event,
    )
  } catch (error) {
    if (!(error instanceof NoSuchPlace)) throw error
    throw new CliError('usage', `--set ${formatPath(path)}: ${error.message}`, {
      hint: path[0] === 'messages' ? '--messages says how many there are' : undefined,
    })
  }
}

function changedMessage(message: SampleEvent['message'], { path, text, value }: Assignment) {
  const was = valueAt(message, path)
  // A number in a text field, such as an id of digits, is that text. Quoted it is text anyhow; null stays null.
  const put = typeof was === 'string' && typeof value !== 'string' && value !== null ? text : value
  return Object.fromEntries(Object.entries(withValue(message, path, put) ?? {}))
}

/** interface.md 6. */
const messageFields: readonly string[] = ['type', 'call', 'assistant', 'customer', 'analysis', 'messages']

/** interface.md 2.9, and what stands beside it: fields that people look for one level too high. */
const innerFields: Readonly<Record<string, readonly string[]>> = {
  call: [
    'id',
    'teamId',
    'assistantId',
    'callType',
    'direction',
    'startAt',
    'endAt',
    'userNumber',
    'assistantNumber',
    'status',
    'phoneCallStatus',
    'callEndTriggerBy',
    'monitor',
  ],
  customer: ['number', 'name'],
  analysis: ['summary', 'successEvaluation', 'structuredData'],
}

function unknownField(path: Path): CliError {
  const [first, ...more] = path
  if (first === 'message' && more.length > 0) {
    return new CliError('usage', `--set ${formatPath(path)}: paths begin inside the message`, {
      hint: `leave the first name out: ${formatPath(more)}`,
    })
  }
  const owner = Object.keys(innerFields).find(name => innerFields[name]?.includes(first))
  const meant = owner === undefined ? didYouMean(first, messageFields) : `${owner}.${first}`
  const instead = meant === undefined ? undefined : `${meant}${formatPath(['', ...more])}`
  return new CliError('usage', `--set ${formatPath(path)}: a message has no field ${first}`, {
    hint: `${instead === undefined ? `it has ${messageFields.join(', ')}` : `did you mean ${instead}?`} --allow-unknown sends it as it is`,
  })
}
