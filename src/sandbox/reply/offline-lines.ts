import * as z from 'zod/mini'
import { isObject } from '../../lib/json/is-object.ts'
import type { ToolOutcome } from '../tools/call-tool.ts'
import type { OfflineTool } from './offline-intents.ts'

export const withoutKnowledge = 'This is the callwright sandbox: no model is connected, so I can only listen.'
export const notFound = 'This is the callwright sandbox: no entry of my knowledge base is about that.'
export const askForDay = 'This is the callwright sandbox: for an appointment, give me a day as YYYY-MM-DD.'
const notDone = 'This is the callwright sandbox: that did not work.'
const nobodyThere = 'This is the callwright sandbox: there is nobody that I can put you through to.'

/** What predefined tools answer when they did what they were asked. */
const bookedSchema = z.object({
  status: z.literal('booked'),
  reference: z.string(),
  day: z.string(),
  time: z.string(),
})
const addedSchema = z.object({ status: z.literal('added'), position: z.number() })
const volumeSchema = z.object({ volume: z.number() })

interface OfflineLine {
  readonly text: string
  /** False: a stopgap, nothing was done. */
  readonly done: boolean
}

/** What is said of what a predefined tool answered: it always names the sandbox. */
export function offlineLine(tool: OfflineTool, { content }: Pick<ToolOutcome, 'content'>): OfflineLine {
  const text = lines[tool](JSON.parse(content))
  return text === undefined ? { text: missed[tool], done: false } : { text, done: true }
}

const lines: Readonly<Record<OfflineTool, (answer: unknown) => string | undefined>> = {
  /** What it says is the message of its ending. */
  callForward: () => undefined,
  appointment(answer) {
    const { data } = bookedSchema.safeParse(answer)
    return (
      data &&
      `This is the callwright sandbox in place of a calendar: ${data.day} at ${data.time} is booked, reference ${data.reference}.`
    )
  },
  waitList(answer) {
    const { data } = addedSchema.safeParse(answer)
    return data && `This is the callwright sandbox in place of a wait list: you are number ${data.position}.`
  },
  volumeControl(answer) {
    const { data } = volumeSchema.safeParse(answer)
    return data && `This is the callwright sandbox in place of a telephone: the volume is ${data.volume}.`
  },
}

const missed: Readonly<Record<OfflineTool, string>> = {
  callForward: nobodyThere,
  appointment: askForDay,
  waitList: notDone,
  volumeControl: notDone,
}

/** What is said of what a function tool answered, without a model. Where the sandbox speaks for itself it says so. */
export function functionToolLine(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { content, failure, simulated }: ToolOutcome,
): OfflineLine {
  if (failure !== undefined)
    return { text: `This is the callwright sandbox: ${name} did not work.`, done: false }
  if (simulated === true) {
    const text = `This is the callwright sandbox in place of your server: ${name} is done${withFacts(given)}. Nothing real happened.`
    return { text, done: true }
  }
  const answer: unknown = JSON.parse(content)
  const spoken = isObject(answer) ? spokenFields.map(field => answer[field]).find(isText) : answer
  if (isText(spoken)) return { text: spoken, done: true }
  return {
    text: `This is the callwright sandbox: ${name} answered${withFacts(isObject(answer) ? answer : {})}.`,
    done: true,
  }
}

/** Of an answer, what is likely meant to be said. */
const spokenFields = ['message', 'text', 'answer', 'reply'] as const
const maxFacts = 4

/** `, day 2026-01-02, people 2`: the values that can be said. */
function withFacts(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, maxFacts)
    .map(([name, value]) => `, ${name.replaceAll('_', ' ')} ${String(value)}`)
    .join('')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
