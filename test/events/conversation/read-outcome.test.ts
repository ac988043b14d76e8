import { describe, expect, test } from 'vitest'
import { readOutcome } from '../../../src/calls/outcomes/index.ts'
import type { CallOutcome } from '../../../src/interface/words.ts'

type OutcomeFacts = Parameters<typeof readOutcome>[0]

const nothing: OutcomeFacts = { statuses: [], endedBy: null, types: [], messages: [] }
const line = (phoneCallStatus: string, status = 'finished') => ({
  statuses: [
    { status: 'queued', phoneCallStatus: 'ringing' },
    { status, phoneCallStatus },
  ],
})
const said = (...texts: string[]) => ({ messages: texts.map(text => ({ role: 'user', text })) })

describe('the words of an ended call', () => {
  test.each<[CallOutcome, Partial<OutcomeFacts>]>([
    ['unclear', {}],
    ['unclear', { statuses: [{ status: 'finished', phoneCallStatus: null }] }],
    ['unclear', line('gone fishing')],
    ['answered', line('completed')],
    ['answered', { statuses: [{ status: 'ongoing', phoneCallStatus: null }] }],
    ['answered', said('Hello?')],
    ['answered', { ...line('failed'), ...said('Hello?') }],
    ['no-answer', line('no-answer')],
    ['no-answer', line('No_Answer')],
    ['no-answer', { ...line('completed'), endedBy: 'noAnswer' }],
    ['busy', line('busy')],
    ['busy', line('ringing', 'declined')],
    ['failed', line('failed')],
    ['failed', line('canceled')],
    ['voicemail', line('machine_end_beep')],
    ['voicemail', { ...said('Hello?'), endedBy: 'voicemail-detected' }],
    ['voicemail', { types: ['voicemail-detected'] }],
    ['voicemail', said('Hi, this is Bo. Please leave a message after the tone.')],
    ['voicemail', said('You have reached the mailbox of Bo.', 'Beep')],
    ['answered', said('Should I leave a message?', 'No?', 'Well then, goodbye')],
    ['answered', said('Hello?', 'Please leave a message')],
    ['forwarded', { ...line('completed', 'forwarded'), ...said('Can I talk to a person?') }],
  ])('mean %s: %j', (outcome, facts) => {
    expect(readOutcome({ ...nothing, ...facts })).toBe(outcome)
  })

  test('mean what callyard.yaml declares, in any spelling and before anything else', () => {
    const words = {
      phoneCallStatus: { 'gone fishing': 'no-answer' },
      type: { AmdDone: 'voicemail' },
    } as const
    expect(readOutcome({ ...nothing, ...line('Gone_Fishing') }, words)).toBe('no-answer')
    expect(readOutcome({ ...nothing, ...said('Hello?'), types: ['amd-done'] }, words)).toBe('voicemail')
    expect(readOutcome({ ...nothing, ...line('busy') }, words)).toBe('busy')
    expect(readOutcome({ ...nothing, endedBy: 'gone fishing' }, words)).toBe('unclear')
  })

  test('are data: a word like a property of an object is not known', () => {
    expect(readOutcome({ ...nothing, ...line('constructor'), endedBy: '__proto__' }, { status: {} })).toBe(
      'unclear',
    )
  })
})
