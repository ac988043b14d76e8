import { describe, expect, test } from 'vitest'
import { getOutcome } from '../../../src/calls/outcomes/index.ts'
import type { CallOutcome } from '../../../src/interface/words.ts'

type Course = Parameters<typeof getOutcome>[0]

const nothing: Course = { ended: true, statuses: [], messages: [] }
const line = (phoneCallStatus: string, status = 'finished') => ({
  statuses: [
    { status: 'queued', phoneCallStatus: 'ringing' },
    { status, phoneCallStatus },
  ],
})
const said = (...texts: string[]) => ({ messages: texts.map(text => ({ role: 'user', text })) })

describe('the words of an ended call', () => {
  test.each<[CallOutcome, Partial<Course>]>([
    ['unclear', {}],
    ['unclear', { statuses: [{ status: 'finished', phoneCallStatus: null }] }],
    ['unclear', line('gone fishing')],
    ['answered', line('completed')],
    ['answered', { statuses: [{ status: 'ongoing', phoneCallStatus: null }] }],
    ['answered', said('Hello?')],
    ['answered', { ...line('failed'), ...said('Hello?') }],
    ['no-answer', line('no-answer')],
    ['no-answer', line('No_Answer')],
    ['no-answer', { ...line('completed'), callEndTriggerBy: 'noAnswer' }],
    ['busy', line('busy')],
    ['busy', line('ringing', 'declined')],
    ['failed', line('failed')],
    ['failed', line('canceled')],
    ['voicemail', line('machine_end_beep')],
    ['voicemail', { ...said('Hello?'), callEndTriggerBy: 'voicemail-detected' }],
    ['voicemail', { otherEvents: { 'voicemail-detected': 1 } }],
    ['voicemail', said('Hi, this is Bo. Please leave a message after the tone.')],
    ['voicemail', { messages: [{ role: 'Customer', text: 'Please leave a message after the tone.' }] }],
    ['voicemail', said('You have reached the mailbox of Bo.', 'Beep')],
    ['answered', said('Should I leave a message?', 'No?', 'Well then, goodbye')],
    ['answered', said('Hello?', 'Please leave a message')],
    ['forwarded', { ...line('completed', 'forwarded'), ...said('Can I talk to a person?') }],
  ])('mean %s: %j', (outcome, facts) => {
    expect(getOutcome({ ...nothing, ...facts })).toBe(outcome)
  })

  test('mean nothing yet while a call continues', () => {
    expect(getOutcome({ ...nothing, ...line('busy'), ended: false })).toBeNull()
  })

  test('mean what callyard.yaml declares, in any spelling and before anything else', () => {
    const words = {
      phoneCallStatus: { 'gone fishing': 'no-answer' },
      type: { AmdDone: 'voicemail' },
    } as const
    expect(getOutcome({ ...nothing, ...line('Gone_Fishing') }, words)).toBe('no-answer')
    expect(getOutcome({ ...nothing, ...said('Hello?'), otherEvents: { 'amd-done': 1 } }, words)).toBe(
      'voicemail',
    )
    expect(getOutcome({ ...nothing, ...line('busy') }, words)).toBe('busy')
    expect(getOutcome({ ...nothing, callEndTriggerBy: 'gone fishing' }, words)).toBe('unclear')
  })

  test('are data: a word like a property of an object is not known', () => {
    expect(
      getOutcome({ ...nothing, ...line('constructor'), callEndTriggerBy: '__proto__' }, { status: {} }),
    ).toBe('unclear')
  })
})
