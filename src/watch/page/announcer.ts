import { byId, setText } from './dom.ts'

export interface Announcer {
  /** Says it once nothing more urgent was said for a while: a screen reader is not to be talked over. */
  count(begun: number, finished: number): void
}

/** What happens to calls, in one short sentence every few seconds at most. */
export function createAnnouncer(): Announcer {
  const region = byId('announcer', HTMLElement)
  let begun = 0
  let finished = 0
  let timer: number | undefined
  const say = () => {
    timer = undefined
    const parts = [
      ...(begun > 0 ? [`${begun} ${begun === 1 ? 'call' : 'calls'} began.`] : []),
      ...(finished > 0 ? [`${finished} ${finished === 1 ? 'call' : 'calls'} finished.`] : []),
    ]
    setText(region, parts.join(' '))
    begun = 0
    finished = 0
  }
  return {
    count(more, ended) {
      begun += more
      finished += ended
      if (begun + finished > 0 && timer === undefined) timer = window.setTimeout(say, 3000)
    },
  }
}
