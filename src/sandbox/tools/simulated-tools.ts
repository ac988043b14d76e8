import { createHash } from 'node:crypto'
import { type CallTool, refused, type ToolOutcome, told } from './call-tool.ts'

/** The first hour of the stand-in's calendar, booked when the caller names no time. */
const defaultTime = '09:00'

/** interface.md 2.3, appointment. There is no calendar: every slot is free, and the reference follows from the ids. */
export function appointmentTool(callId: string): CallTool {
  return {
    predefined: 'appointment',
    name: 'book_appointment_slot',
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
    run: async ({ id, arguments: { day, time, note } }) => {
      const wanted = isBlank(time) ? defaultTime : time
      if (isBlank(day)) return simulated(refused('day is missing: ask the caller for the day, as YYYY-MM-DD'))
      if (!isDay(day)) return simulated(refused(`day is ${JSON.stringify(day)}, no day as YYYY-MM-DD`))
      if (!isTime(wanted)) return simulated(refused(`time is ${JSON.stringify(wanted)}, no time as HH:MM`))
      const reference = `SANDBOX-${digest(callId, id).slice(0, 6).toUpperCase()}`
      const about = isBlank(note) ? {} : { note }
      return simulated(told({ status: 'booked', reference, day, time: wanted, ...about, sandbox: true }))
    },
  }
}

/** interface.md 2.3, waitList. There is no list: the position, 1 to 9, follows from the ids. */
export function waitListTool(callId: string): CallTool {
  return {
    predefined: 'waitList',
    name: 'join_wait_list',
    description: 'Puts the caller on the wait list.',
    parameters: {
      type: 'object',
      properties: { note: { type: 'string', description: 'What the caller waits for' } },
    },
    run: async ({ id, arguments: { note } }) => {
      const position = 1 + (Number.parseInt(digest(callId, id).slice(0, 8), 16) % 9)
      const about = isBlank(note) ? {} : { note }
      return simulated(told({ status: 'added', position, ...about, sandbox: true }))
    },
  }
}

/** interface.md 2.3, volumeControl: of speech, 0 to 100, for one call. In text nobody hears it. */
export function volumeTool(): CallTool {
  let volume = 50
  return {
    predefined: 'volumeControl',
    name: 'change_volume',
    description: 'Makes the assistant speak louder or more quietly.',
    parameters: {
      type: 'object',
      properties: { direction: { type: 'string', enum: ['up', 'down'] } },
      required: ['direction'],
    },
    run: async ({ arguments: { direction } }) => {
      if (direction !== 'up' && direction !== 'down')
        return simulated(refused('direction is neither up nor down'))
      volume = Math.min(100, Math.max(0, volume + (direction === 'up' ? 10 : -10)))
      return simulated(told({ volume, sandbox: true }))
    },
  }
}

function simulated(outcome: ToolOutcome): ToolOutcome {
  return { ...outcome, simulated: true }
}

function digest(callId: string, runId: string): string {
  return createHash('sha256').update(`${callId}\n${runId}`).digest('hex')
}

/** Models send null or nothing for what they leave out. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)
}
