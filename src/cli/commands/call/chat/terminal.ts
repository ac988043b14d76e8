import { InvalidInput } from '../../../../files/source/index.ts'
import type { Sleeper } from '../../../../lib/clock.ts'
import { createIds } from '../../../../lib/deterministic.ts'
import { CallyardError } from '../../../../lib/error.ts'
import { dim, text } from '../../../../lib/text/text.ts'
import type { Context, LineEditor, Output } from '../../../shell/context.ts'
import { callerPrompt, renderDraft } from '../../../shell/render/chat.ts'
import { formatFirstDiagnostics } from '../../../shell/render/diagnostics.ts'
import { type ChatLine, readChatLine } from './lines.ts'
import {
  type ChatInput,
  type ChatSession,
  type ChatSessionDeps,
  type ChatSetup,
  createChatSession,
} from './session.ts'

/**
 * Runs a chat with a person at a terminal: a typed line is spoken immediately, even while the assistant speaks. Ends with Ctrl-D or the
 * signal.
 */
export async function chatAtTerminal(
  editor: LineEditor,
  material: ChatInput,
  { seed, ...world }: ChatSetup,
): Promise<void> {
  const { signal } = world.context
  const context = world.context.with({ output: besideEditor(world.context.output, editor) })
  const { output } = context
  const session = createChatSession({
    ...world,
    context,
    at: world.at ?? 'now',
    reads: true,
    newId: createIds({ seed, isTaken: () => false }),
    drafted: createDraft(editor, context.clock),
    ended: () => output.note(dim('The call is over. Type /restart to call again; press Ctrl-D to exit.')),
    leaving: () => output.note(dim('Hanging up; press Ctrl-C again to exit immediately.')),
  })
  const leave = () => editor.close()
  signal.addEventListener('abort', leave, { once: true })
  try {
    editor.show({ prompt: callerPrompt })
    output.note(dim('You are the caller. Type /help for commands; press Ctrl-D to hang up.'))
    await session.startCall(material)
    followScript(session)
    for await (const line of editor.lines) {
      const read = readChatLine(line)
      if (read !== undefined) await obey(read, session, context)
    }
  } finally {
    signal.removeEventListener('abort', leave)
    editor.close()
    await session.close()
  }
}

async function obey(line: ChatLine, session: ChatSession, context: Context): Promise<void> {
  const { output } = context
  if (line.kind === 'turn') {
    if (session.call?.send(line.turn) !== true) output.note(dim(notHeard(session)))
  } else if (line.kind === 'problem') output.warn(line.problem, line.hint)
  else if (line.kind === 'restart') await restart(session, context)
  else if (line.kind === 'save-test') await saveTest(line.name, session, context)
  else if (line.kind === 'vars') session.showVariables()
  else session.showHelp()
}

/** The call continues even if the test could not be written. */
async function saveTest(name: string, session: ChatSession, context: Context): Promise<void> {
  try {
    await session.saveTest(name)
  } catch (error) {
    if (!(error instanceof CallyardError) || error.kind === 'cancelled') throw error
    const { message, hint } = context.withHints(error)
    context.output.warn(message, hint === undefined || error.code === undefined ? hint : 'give another name')
  }
}

function notHeard({ call }: ChatSession): string {
  return call?.isOver() === false
    ? 'The call has ended; its analysis is being made.'
    : 'There is no call: /restart places one.'
}

/** Files that do not pass can be corrected meanwhile. */
async function restart(session: ChatSession, context: Context): Promise<void> {
  try {
    await session.restart()
    followScript(session)
  } catch (error) {
    if (!(error instanceof CallyardError) || error.kind === 'cancelled') throw error
    const wordedError = context.withHints(error)
    const reason =
      wordedError instanceof InvalidInput
        ? formatFirstDiagnostics(wordedError.diagnostics)
        : wordedError.message
    const outcome = session.call?.isOver() === false ? 'this call continues' : 'no call was placed'
    context.output.warn(text`${outcome}\n${reason}`, 'fix it, then type /restart')
  }
}

/** The lines of --caller, each in its turn, while the person may type. */
function followScript({ call, script }: ChatSession): void {
  const follow = async () => {
    for (const turn of script) {
      if (call === undefined || !(await call.turnOf(turn)) || !call.send(turn)) return
    }
  }
  void follow()
}

/** Everything that is printed comes up above the line that the caller types. */
function besideEditor(output: Output, editor: LineEditor): Output {
  return output.with({
    get width() {
      return editor.width
    },
    event: (data, human) => editor.aside(() => output.event(data, human)),
    note: (message, options) => editor.aside(() => output.note(message, options)),
    warn: (message, hint) => editor.aside(() => output.warn(message, hint)),
    findings: (...findings) => editor.aside(() => output.findings(...findings)),
    debug: message => editor.aside(() => output.debug(message)),
  })
}

/** Milliseconds: often enough to read along, seldom enough to leave time for keys when a model is fast. */
const frame = 40

/** Shows the unfinished reply above the line that the caller types; undefined removes it immediately. */
export function createDraft(editor: LineEditor, { sleep }: Sleeper): ChatSessionDeps['drafted'] {
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
