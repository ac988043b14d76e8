import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolsOfCall } from './call-tools.ts'
import { toldBy, useTool } from './use-tool.ts'

const switches = { appointment: true, waitList: true, volumeControl: true }
const tool = (name: string, callId = 'CC-1') => toolsOfCall({ callId, switches }).tool(name)

test('an appointment is booked, and marked as the sandbox’s', async () => {
  const used = useTool(tool('book_appointment_slot'), { day: '2026-05-04', time: '14:30', note: 'Brakes' })
  expect((await used.outcome).simulated).toBe(true)
  expect(await toldBy(used)).toEqual({
    status: 'booked',
    reference: expect.stringMatching(/^SANDBOX-[0-9A-F]{6}$/),
    day: '2026-05-04',
    time: '14:30',
    note: 'Brakes',
    sandbox: true,
  })
  const short = useTool(tool('book_appointment_slot'), { day: '2026-05-04', time: '', note: null })
  expect(await toldBy(short)).toEqual({
    status: 'booked',
    reference: expect.any(String),
    day: '2026-05-04',
    time: '09:00',
    sandbox: true,
  })
})

test.each([
  [{}, 'day is missing: ask the caller for the day, as YYYY-MM-DD'],
  [{ day: null, time: '10:00' }, 'day is missing: ask the caller for the day, as YYYY-MM-DD'],
  [{ day: 'tomorrow' }, 'day is "tomorrow", which is not a day such as YYYY-MM-DD'],
  [{ day: '2026-02-30' }, 'day is "2026-02-30", which is not a day such as YYYY-MM-DD'],
  [{ day: '2026-05-04', time: '3 pm' }, 'time is "3 pm", which is not a time such as HH:MM'],
  [{ day: '2026-05-04', time: 15 }, 'time is 15, which is not a time such as HH:MM'],
])('an appointment of %j is asked for again', async (given, error) => {
  const used = useTool(tool('book_appointment_slot'), given)
  expect(await used.outcome).toEqual({ content: JSON.stringify({ error }), simulated: true })
})

test('references and positions follow from the call and the run, and from nothing else', async () => {
  const answers = (callId: string, id: string) =>
    Promise.all([
      toldBy(useTool(tool('book_appointment_slot', callId), { day: '2026-05-04' }, { id })),
      toldBy(useTool(tool('join_wait_list', callId), {}, { id })),
    ])
  expect(await answers('CC-1', 'a')).toEqual(await answers('CC-1', 'a'))
  expect(await answers('CC-1', 'a')).not.toEqual(await answers('CC-1', 'b'))
  expect(await answers('CC-1', 'a')).not.toEqual(await answers('CC-2', 'a'))
})

test('a place on the waiting list is between one and nine', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async id => {
      const used = useTool(tool('join_wait_list'), { note: 'A table' }, { id })
      expect((await used.outcome).simulated).toBe(true)
      const answer = await toldBy(used)
      expect(answer).toEqual({
        status: 'added',
        position: expect.any(Number),
        note: 'A table',
        sandbox: true,
      })
      expect(answer).toSatisfy(({ position }) => position >= 1 && position <= 9)
    }),
  )
})

test('the volume goes up and down by ten between 0 and 100, each call for itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('up', 'down'), { maxLength: 30 }), async directions => {
      const volumeTool = tool('change_volume')
      let volume = 50
      for (const direction of directions) {
        volume = Math.min(100, Math.max(0, volume + (direction === 'up' ? 10 : -10)))
        const used = useTool(volumeTool, { direction })
        expect(await toldBy(used)).toEqual({ volume, sandbox: true })
        expect((await used.outcome).simulated).toBe(true)
      }
    }),
  )
  expect(await toldBy(useTool(tool('change_volume'), { direction: 'louder' }))).toEqual({
    error: 'direction must be up or down',
  })
})
