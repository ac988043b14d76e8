import { createHash } from 'node:crypto'
import type { CallerTurn } from '../../../../files/formats/caller-script.ts'
import type { Sleeper } from '../../../../lib/clock.ts'
import { createIds } from '../../../../lib/deterministic.ts'
import { CallyardError } from '../../../../lib/error.ts'
import { suggest } from '../../../shell/advice.ts'
import type { LineSource } from '../../../shell/context.ts'
import { type ChatLine, readChatLine } from './lines.ts'
import { type ChatInput, type ChatSession, type ChatSetup, createChatSession } from './session.ts'

/**
 * Runs a chat with a program as the caller: speaks the lines of the script or the input one at a time, after the assistant has finished,
 * and then hangs up. Resolves when the call ends.
 * @throws CallyardError `usage` if a line was an unknown command, `unreachable` if a model was requested and never replied
 */
export async function chatPiped(
  input: LineSource | undefined,
  material: ChatInput,
  { seed, ...world }: ChatSetup,
): Promise<void> {
  const { clock, output, signal } = world.context
  const close = () => input?.close()
  let session: ChatSession | undefined
  const hangUp = () => {
    session?.call?.send(hangUpTurn)
    close()
  }
  signal.addEventListener('abort', hangUp, { once: true })
  let misunderstood = 0
  try {
    const ahead = await readAhead(input, clock)
    if (signal.aborted) return
    const newId = createIds({
      seed: seed ?? contentOf(material, ahead, world.llm?.model),
      isTaken: () => false,
    })
    session = createChatSession({ ...world, reads: false, newId, drafted() {}, ended: close, leaving() {} })
    const bufferedLines = (ahead.all ?? []).flatMap(line => readChatLine(line) ?? [])
    const script = material.script.map(turn => ({ kind: 'turn', turn }) as const)
    const { welcome, exchanges } = exchangesOf([...script, ...bufferedLines])
    await session.startCall(material, welcome)
    for await (const { line, interruptions } of chain(exchanges, ahead)) {
      await output.drained()
      if (line.kind === 'problem') {
        misunderstood += 1
        output.warn(line.problem, line.hint)
      } else if (!(await obey(line, interruptions, session))) {
        if (session.cutOff)
          output.warn(
            'maxCallDuration ended the call before all lines were said',
            'place another call with /restart',
          )
        break
      }
    }
    await obey({ kind: 'turn', turn: hangUpTurn }, [], session)
  } finally {
    signal.removeEventListener('abort', hangUp)
    close()
    await session?.close()
  }
  if (misunderstood > 0) {
    throw new CallyardError('usage', `${misunderstood} of the caller’s lines were not understood`, {
      ...suggest`for the commands: ${['help', 'chat']}`,
    })
  }
  if (session?.modelNeverAnswered === true) {
    throw new CallyardError('unreachable', 'the model did not reply during the call', {
      hint: 'check --llm-url or the assistant’s assistantLLMUrl, and that the server is running',
    })
  }
}

/** Everything that determines the call, so that equal input gives equal ids; undefined if more lines may follow. */
function contentOf(
  { prepared, script }: ChatInput,
  { all: allLines }: LinesAhead,
  model: string | undefined,
): string | undefined {
  if (allLines === undefined) return undefined
  const content = JSON.stringify([prepared.body, prepared.entries, script, allLines, model])
  return createHash('sha256').update(content).digest('hex')
}

/** Line of the caller with the interruptions of its reply, which the assistant must know before it replies. */
type Exchange = { readonly line: ChatLine; readonly interruptions: CallerTurn[] }

/** Groups known lines into exchanges, and the interruptions of the welcome. */
function exchangesOf(lines: readonly ChatLine[]) {
  const welcome: CallerTurn[] = []
  const exchanges: Exchange[] = []
  let next = welcome
  for (const line of lines) {
    if (line.kind === 'turn' && line.turn.type === 'interrupt') next.push(line.turn)
    else {
      const interruptions: CallerTurn[] = []
      exchanges.push({ line, interruptions })
      if (line.kind === 'turn' || line.kind === 'restart') next = interruptions
    }
  }
  return { welcome, exchanges }
}

async function* chain(
  exchanges: readonly Exchange[],
  { all: allLines, lines }: LinesAhead,
): AsyncGenerator<Exchange> {
  yield* exchanges
  if (allLines !== undefined) return
  for await (const text of lines) {
    const line = readChatLine(text)
    if (line !== undefined) yield { line, interruptions: [] }
  }
}

/** False when the call is over. */
async function obey(
  line: Exclude<ChatLine, { kind: 'problem' }>,
  interruptions: readonly CallerTurn[],
  session: ChatSession,
): Promise<boolean> {
  const { call } = session
  if (line.kind === 'save-test') {
    // Also of a call that is over.
    await call?.turnOf(hangUpTurn)
    await session.saveTest(line.name)
    return true
  }
  if (call === undefined || !(await call.turnOf(line.kind === 'turn' ? line.turn : hangUpTurn))) return false
  if (line.kind === 'turn') return [line.turn, ...interruptions].every(call.send)
  if (line.kind === 'vars') session.showVariables()
  else if (line.kind === 'help') session.showHelp()
  else await session.restart(interruptions)
  return true
}

const hangUpTurn: CallerTurn = { type: 'hang-up' }

type LinesAhead = Awaited<ReturnType<typeof readAhead>>

/** Milliseconds. A shell's pipe has ended by then; a program that waits for a first word waits no longer than that. */
const timeoutMs = 300
const maxLines = 10_000

/**
 * Reads an input for a moment, so that a complete one is known before the call is placed; without an input it is complete. `lines`
 * yields all lines, including those already read; `allLines` has them if the input ended, and is undefined if it continues, as with a
 * program that waits for replies.
 */
export async function readAhead(input: LineSource | undefined, { sleep }: Sleeper) {
  const iterator = (input?.lines ?? noLines())[Symbol.asyncIterator]()
  const read: string[] = []
  const done = new AbortController()
  const late = sleep(timeoutMs, done.signal).catch(() => undefined)
  let pending = iterator.next()
  let next = await Promise.race([pending, late])
  while (next?.done === false && read.length < maxLines) {
    read.push(next.value)
    pending = iterator.next()
    next = await Promise.race([pending, late])
  }
  done.abort()
  async function* lines() {
    yield* read
    for (let rest = await pending; rest.done !== true; rest = await iterator.next()) yield rest.value
  }
  return { lines: lines(), all: next?.done === true ? read : undefined }
}

async function* noLines(): AsyncGenerator<string> {}
