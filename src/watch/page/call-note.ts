import type { ConnectionState } from './page-model.ts'

export interface NoteFacts {
  readonly connection: ConnectionState
  /** Whether the tail no longer keeps this call. */
  readonly gone: boolean
  /** Whether anything of it is shown. */
  readonly shown: boolean
  /** Events that came after what is shown. */
  readonly missed: number
}

/** What the reader of a call should know of what they see; empty when it is all there is. */
export function callNote({ connection, gone, shown, missed }: NoteFacts): string {
  const notes = [
    ...(gone ? ['This call is no longer kept by the tail.'] : []),
    ...(shown || gone ? [] : [unknownWords[connection]]),
    ...(missed > 0
      ? [`Shown as it was when it was open last, ${missed} ${missed === 1 ? 'event' : 'events'} ago.`]
      : []),
  ]
  return notes.filter(note => note !== '').join(' ')
}

/** Why nothing is shown of a call that the page has not read. */
const unknownWords: Readonly<Record<ConnectionState, string>> = {
  connecting: '',
  live: '',
  lost: 'This call was not open before the connection was lost. It is shown once the tail is back.',
  ended: 'The tail has ended, and this call was not open before: its transcript is not on this page.',
  crowded: 'This call was not open before, and the tail cannot be asked: too many pages are open.',
}
