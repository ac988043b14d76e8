import { saysPhrase } from '../engine/end-phrases.ts'
import type { PredefinedToolName } from '../tools/call-tool.ts'
import { timeIn } from './spoken-values.ts'

/** The predefined tools that are run without a model; endCallPhrases and the FAQ do for the others. */
export type OfflineTool = Exclude<PredefinedToolName, 'knowledgeBase' | 'endCall'>

/** Which predefined tool a line asks for, and with what. */
export interface Intent {
  readonly tool: OfflineTool
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Every verb with every noun. */
const pairs = (verbs: readonly string[], nouns: readonly string[]) =>
  verbs.flatMap(verb => nouns.map(noun => `${verb} ${noun}`))

const forwardPhrases = [
  ...pairs(
    [
      'speak to',
      'speak with',
      'talk to',
      'talk with',
      'get me',
      'give me',
      'connect me to',
      'connect me with',
    ],
    [
      'a person',
      'a real person',
      'a human',
      'a human being',
      'someone',
      'somebody',
      'an agent',
      'an operator',
    ],
  ),
  ...['real person', 'human agent', 'transfer me', 'put me through', 'forward me', 'forward my call'],
]
const appointmentPhrases = [
  ...pairs(
    ['make', 'book', 'schedule', 'arrange', 'get', 'need', 'want', 'like'],
    ['an appointment', 'appointment', 'a slot', 'a booking'],
  ),
  ...['book me in', 'book a time', 'book a day'],
]
const waitListPhrases = pairs(
  ['put me on', 'add me to', 'join', 'get on', 'be on', 'go on'],
  pairs(['the', 'your', 'a'], ['wait list', 'waitlist', 'waiting list']),
)
const louderPhrases = [
  ...['louder', 'speak up', 'volume up', 'turn up the volume', 'turn the volume up', 'too quiet'],
  ...['cannot hear you', 'cant hear you', 'can not hear you', 'can hardly hear you', 'can barely hear you'],
]
const quieterPhrases = [
  ...['quieter', 'more quietly', 'less loud', 'not so loud', 'too loud'],
  ...['volume down', 'turn down the volume', 'turn the volume down'],
]

/**
 * Told by whole phrases, in English, whatever the case and punctuation; of several the first in the order below. A line
 * with a day (YYYY-MM-DD) that answers the question for it asks for an appointment too.
 */
export function intentOf(
  line: string,
  offered: Pick<ReadonlySet<PredefinedToolName>, 'has'>,
  { askedForDay = false }: { readonly askedForDay?: boolean } = {},
): Intent | undefined {
  const says = (phrases: readonly string[]) => saysPhrase(line, phrases)
  if (offered.has('callForward') && says(forwardPhrases)) return { tool: 'callForward', arguments: {} }
  if (offered.has('appointment')) {
    const slot = readSlot(line)
    if (says(appointmentPhrases) || (askedForDay && slot.day !== undefined))
      return { tool: 'appointment', arguments: slot }
  }
  if (offered.has('waitList') && says(waitListPhrases)) return { tool: 'waitList', arguments: {} }
  if (offered.has('volumeControl') && says(louderPhrases))
    return { tool: 'volumeControl', arguments: { direction: 'up' } }
  if (offered.has('volumeControl') && says(quieterPhrases))
    return { tool: 'volumeControl', arguments: { direction: 'down' } }
  return undefined
}

/** The first day as YYYY-MM-DD, and the first time as 14:30, 2:30 pm or 2 pm. */
export function readSlot(line: string): { readonly day?: string; readonly time?: string } {
  const [day] = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.exec(line) ?? []
  const time = timeIn(line)?.value
  return { ...(day === undefined ? {} : { day }), ...(time === undefined ? {} : { time }) }
}
