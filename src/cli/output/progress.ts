import { escapeForTerminal } from '../../lib/text/escape.ts'
import type { Progress, Sink } from '../context.ts'

export interface Bar extends Progress {
  /** Takes the bar away while something is written, and puts it back below. */
  aside(write: () => void): void
}

interface Drawn {
  text: string
  clear(): unknown
  render(): unknown
  stop(): unknown
}

/** ora draws; it is loaded only where there is a terminal to draw on, and a command that ends first never shows it. */
export function drawProgress(stderr: Sink, label: string, total: number | undefined): Bar {
  let done = 0
  let underWay = ''
  let stopped = false
  let drawn: Drawn | undefined
  let line = () => ''
  void Promise.all([import('ora'), import('../../lib/text/layout.ts')]).then(
    ([{ default: ora }, { inColumns, widthOf }]) => {
      if (stopped) return
      line = () => {
        const count = total === undefined ? '' : ` ${meter(done, total)} ${done}/${total}`
        const head = `${escapeForTerminal(label)}${count}`
        const room = (stderr.columns ?? 80) - widthOf(head) - roomAround
        return underWay === '' || room < 2 ? head : `${head}  ${inColumns(underWay, room).trimEnd()}`
      }
      const stream = stderr as NodeJS.WriteStream
      drawn = ora({ text: line(), stream, discardStdin: false, isEnabled: true }).start()
    },
  )
  return {
    update(now, what = '') {
      done = now
      underWay = what
      if (drawn !== undefined) drawn.text = line()
    },
    aside(write) {
      drawn?.clear()
      write()
      drawn?.render()
    },
    stop() {
      if (!stopped) drawn?.stop()
      stopped = true
      drawn = undefined
    },
  }
}

/** The spinner and the blank behind it, two blanks before what is under way, and the last column. */
const roomAround = 5

function meter(done: number, total: number): string {
  const filled = total === 0 ? 20 : Math.min(20, Math.floor((done / total) * 20))
  return '█'.repeat(filled) + '░'.repeat(20 - filled)
}
