import * as z from 'zod/mini'
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

export interface OfflineLine {
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
