import { createHash } from 'node:crypto'
import { isText } from '../../lib/json.ts'
import { combinePhrases, saysPhrase } from '../../lib/text/words.ts'
import type { CallForwardTarget } from '../engine/reply.ts'
import {
  noParameters,
  type PredefinedTool,
  type ToolConfig,
  type ToolOutcome,
  toFailure,
  toOutcome,
  toRejection,
} from './call-tool.ts'
import { isDay, timeIn } from './spoken-values.ts'

/** Predefined tools by the name of their switch. All of them are simulated: there is neither a calendar nor a telephone. */
export const predefinedTools = { endCall, callForward, appointment, waitList, volumeControl }

/** interface.md 2.1 and 2.3, endCall: the assistant says the message and hangs up. */
function endCall({ endCallMessage, endCallToolDescription = '' }: ToolConfig): PredefinedTool {
  return {
    description:
      endCallToolDescription.trim() === ''
        ? 'Ends the call. Use it when the caller says goodbye or needs nothing more.'
        : endCallToolDescription,
    parameters: noParameters,
    run: async () => ({
      ...toOutcome({ status: 'ending' }),
      ending: { kind: 'end-call', message: endCallMessage },
    }),
  }
}

const forwardPhrases = [
  ...combinePhrases(
    [...combinePhrases(['speak', 'talk', 'connect me'], ['to', 'with']), 'get me', 'give me'],
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

/** interface.md 2.1 and 2.3, callForward: puts the caller through to one of callForwardData. */
function callForward({ forwardTargets }: ToolConfig): PredefinedTool {
  const targets = forwardTargets.filter(
    ({ phoneNumber, extension }) => isText(phoneNumber) || isText(extension),
  )
  const labels = [...new Set(targets.map(labelOf))]
  const hasChoice = labels.length > 1
  return {
    description: 'Puts the caller through to a person. Use it when the caller asks for one.',
    parameters: hasChoice
      ? {
          type: 'object',
          properties: { name: { type: 'string', enum: labels, description: 'Whom the caller wants' } },
          required: ['name'],
        }
      : noParameters,
    offline: {
      argumentsFor(line) {
        if (!saysPhrase(line, forwardPhrases)) return undefined
        return hasChoice ? { name: labels.find(label => saysPhrase(line, [label])) ?? labels[0] } : {}
      },
      missed: 'This is the callyard sandbox: I have no number to put you through to.',
    },
    async run({ arguments: { name } }) {
      if (labels.length === 0) {
        const failure = 'callForward is enabled and callForwardData has no phoneNumber to forward to'
        return toFailure(failure, 'there is no number to forward the caller to')
      }
      const targetName = isText(name) ? name.trim().toLowerCase() : undefined
      const target =
        targetName === undefined && !hasChoice
          ? targets[0]
          : targets.find(candidate => labelOf(candidate).toLowerCase() === targetName)
      if (target === undefined) {
        const labelList = labels.map(label => JSON.stringify(label)).join(', ')
        const problem =
          targetName === undefined ? 'name is missing' : `no target is called ${JSON.stringify(name)}`
        return toRejection(`${problem}: use one of ${labelList}`)
      }
      const label = labelOf(target)
      return {
        ...toOutcome({ status: 'forwarding', to: label }),
        ending: { kind: 'forward', target, message: `One moment, I am putting you through to ${label}.` },
      }
    },
  }
}

/** The first hour of the simulated calendar, booked when the caller names no time. */
const defaultTime = '09:00'
const askForDay = 'This is the callyard sandbox: for an appointment, give me a day as YYYY-MM-DD.'
const notDone = 'This is the callyard sandbox: that did not work.'

const appointmentPhrases = [
  ...combinePhrases(
    ['make', 'book', 'schedule', 'arrange', 'get', 'need', 'want', 'like'],
    ['an appointment', 'appointment', 'a slot', 'a booking'],
  ),
  ...['book me in', 'book a time', 'book a day'],
]

/** interface.md 2.3, appointment. Simulated: every slot is free, and the reference is derived from the ids. */
function appointment({ callId }: ToolConfig): PredefinedTool {
  return {
    description: 'Books an appointment for the caller. Ask for the day first.',
    parameters: {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date', description: 'Day of the appointment, YYYY-MM-DD' },
        time: { type: 'string', description: `HH:MM, 24 hours; ${defaultTime} where it is left out` },
        note: { type: 'string', description: 'What the appointment is about' },
      },
      required: ['day'],
    },
    offline: {
      /** A line with a day also requests an appointment if the assistant has just asked for the day. */
      argumentsFor(line, previous) {
        const [day] = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.exec(line) ?? []
        const answersTheQuestion = previous === askForDay && day !== undefined
        if (!answersTheQuestion && !saysPhrase(line, appointmentPhrases)) return undefined
        const time = timeIn(line)?.value
        return { ...(day === undefined ? {} : { day }), ...(time === undefined ? {} : { time }) }
      },
      missed: askForDay,
    },
    async run({ id, arguments: { day, time, note } }) {
      const bookingTime = isBlank(time) ? defaultTime : time
      if (isBlank(day))
        return markSimulated(toRejection('day is missing: ask the caller for the day, as YYYY-MM-DD'))
      if (!isDay(day))
        return markSimulated(
          toRejection(`day is ${JSON.stringify(day)}, which is not a day such as YYYY-MM-DD`),
        )
      if (!isTime(bookingTime))
        return markSimulated(
          toRejection(`time is ${JSON.stringify(bookingTime)}, which is not a time such as HH:MM`),
        )
      const reference = `SANDBOX-${digest(callId, id).slice(0, 6).toUpperCase()}`
      const about = isBlank(note) ? {} : { note }
      return markSimulated(
        toOutcome({ status: 'booked', reference, day, time: bookingTime, ...about, sandbox: true }),
        `This is the callyard sandbox in place of a calendar: ${day} at ${bookingTime} is booked, reference ${reference}.`,
      )
    },
  }
}

const waitListPhrases = combinePhrases(
  ['put me on', 'add me to', 'join', 'get on', 'be on', 'go on'],
  combinePhrases(['the', 'your', 'a'], ['wait list', 'waitlist', 'waiting list']),
)

/** interface.md 2.3, waitList. Simulated: the position, 1 to 9, is derived from the ids. */
function waitList({ callId }: ToolConfig): PredefinedTool {
  return {
    description: 'Puts the caller on the wait list.',
    parameters: {
      type: 'object',
      properties: { note: { type: 'string', description: 'What the caller waits for' } },
    },
    offline: {
      argumentsFor: line => (saysPhrase(line, waitListPhrases) ? {} : undefined),
      missed: notDone,
    },
    async run({ id, arguments: { note } }) {
      const position = 1 + (Number.parseInt(digest(callId, id).slice(0, 8), 16) % 9)
      const about = isBlank(note) ? {} : { note }
      return markSimulated(
        toOutcome({ status: 'added', position, ...about, sandbox: true }),
        `This is the callyard sandbox in place of a wait list: you are number ${position}.`,
      )
    },
  }
}

const louderPhrases = [
  ...['louder', 'speak up', 'volume up', 'turn up the volume', 'turn the volume up', 'too quiet'],
  ...['cannot hear you', 'cant hear you', 'can not hear you', 'can hardly hear you', 'can barely hear you'],
]
const quieterPhrases = [
  ...['quieter', 'more quietly', 'less loud', 'not so loud', 'too loud'],
  ...['volume down', 'turn down the volume', 'turn the volume down'],
]

/** interface.md 2.3, volumeControl: of speech, 0 to 100, for one call. A call in text has no sound. */
function volumeControl(): PredefinedTool {
  let volume = 50
  return {
    description: 'Makes the assistant speak louder or more quietly.',
    parameters: {
      type: 'object',
      properties: { direction: { type: 'string', enum: ['up', 'down'] } },
      required: ['direction'],
    },
    offline: {
      argumentsFor(line) {
        if (saysPhrase(line, louderPhrases)) return { direction: 'up' }
        return saysPhrase(line, quieterPhrases) ? { direction: 'down' } : undefined
      },
      missed: notDone,
    },
    async run({ arguments: { direction } }) {
      if (direction !== 'up' && direction !== 'down')
        return markSimulated(toRejection('direction must be up or down'))
      volume = Math.min(100, Math.max(0, volume + (direction === 'up' ? 10 : -10)))
      return markSimulated(
        toOutcome({ volume, sandbox: true }),
        `This is the callyard sandbox in place of a telephone: the volume is ${volume}.`,
      )
    },
  }
}

/** Returns the label of a target for the model and the caller. */
function labelOf({ name, phoneNumber, extension }: CallForwardTarget): string {
  if (isText(name)) return name.trim()
  const inside = isText(extension) ? `extension ${extension.trim()}` : undefined
  return [isText(phoneNumber) ? phoneNumber.trim() : undefined, inside].filter(isText).join(', ')
}

function markSimulated(outcome: ToolOutcome, spokenText?: string): ToolOutcome {
  return { ...outcome, spokenText, simulated: true }
}

function digest(callId: string, runId: string): string {
  return createHash('sha256').update(`${callId}\n${runId}`).digest('hex')
}

/** Models send null or nothing for what they leave out. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && !isText(value))
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)
}
