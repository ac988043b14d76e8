import type { LineSource } from '../../../context.ts'
import { CliError } from '../../../errors.ts'
import type { CallerTurn } from '../../../sandbox/call/caller-script.ts'
import { type ChatLine, readChatLine } from './lines.ts'
import { type ChatMaterial, type ChatSession, type ChatWorld, createChatSession } from './session.ts'

/**
 * A program is the caller: the script's lines, or those of the input, each when the floor is free; at the end it hangs up.
 * Ends when the call does.
 * @throws CliError `usage` when a line was no command and so nobody heard it, `unreachable` when a model was asked for
 * replies and gave none
 */
export async function chatPiped(
  input: LineSource | undefined,
  material: ChatMaterial,
  world: Omit<ChatWorld, 'pace' | 'drafted' | 'ended' | 'leaving'>,
): Promise<void> {
  const { output, signal } = world.context
  const close = () => input?.close()
  const session = createChatSession({ ...world, pace: 0, drafted() {}, ended: close, leaving() {} })
  const hangUp = () => {
    session.call?.take(hangUpTurn)
    close()
  }
  signal.addEventListener('abort', hangUp, { once: true })
  let misunderstood = 0
  try {
    await session.begin(material)
    for await (const line of callerLines(material.script, input)) {
      await output.drained()
      if (line.kind === 'problem') {
        misunderstood += 1
        output.warn(line.problem, line.hint)
      } else if (!(await obey(line, session))) break
    }
    await obey({ kind: 'turn', turn: hangUpTurn }, session)
  } finally {
    signal.removeEventListener('abort', hangUp)
    close()
    await session.close()
  }
  if (misunderstood > 0) {
    throw new CliError('usage', `${misunderstood} of the caller’s lines could not be understood`, {
      hint: 'callwright help call chat lists the commands',
    })
  }
  if (session.modelNeverAnswered) {
    throw new CliError('unreachable', 'the model gave no reply in the whole call', {
      hint: 'check --llm-url or the assistant’s assistantLLMUrl, and that the server runs',
    })
  }
}

async function* callerLines(
  script: readonly CallerTurn[],
  input: LineSource | undefined,
): AsyncGenerator<ChatLine> {
  for (const turn of script) yield { kind: 'turn', turn }
  for await (const line of input?.lines ?? []) {
    const read = readChatLine(line)
    if (read !== undefined) yield read
  }
}

/** False when the call is over. */
async function obey(line: Exclude<ChatLine, { kind: 'problem' }>, session: ChatSession): Promise<boolean> {
  const { call } = session
  if (call === undefined || !(await call.turnOf(line.kind === 'turn' ? line.turn : hangUpTurn))) return false
  if (line.kind === 'turn') return call.take(line.turn)
  if (line.kind === 'vars') session.showVariables()
  else if (line.kind === 'help') session.showHelp()
  else await session.restart()
  return true
}

const hangUpTurn: CallerTurn = { type: 'hang-up' }
