import type { LineEditor } from '../../../cli/context.ts'
import { renderDraft } from '../../../cli/render/chat.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ChatDeps } from './session.ts'

/** Milliseconds: often enough to read along, seldom enough to leave time for keys when a model is fast. */
const frame = 40

/** What the assistant is saying, above the line that the caller types; undefined takes it away at once. */
export function createDraft(
  editor: Pick<LineEditor, 'width' | 'show'>,
  { sleep }: Pick<Clock, 'sleep'>,
): ChatDeps['drafted'] {
  let words = ''
  let due = false
  const draw = () => editor.show({ above: renderDraft(words, editor.width) })
  return more => {
    words = more === undefined ? '' : words + more
    if (more === undefined) return draw()
    if (due) return
    due = true
    void sleep(frame).then(() => {
      due = false
      draw()
    })
  }
}
