import { once } from 'node:events'
import type { CallObservation } from '../../../../files/formats/call-observation.ts'
import type { CallerTurn } from '../../../../files/formats/caller-script.ts'
import { isObject } from '../../../../lib/json.ts'
import { oneLine } from '../../../../lib/text/escape.ts'
import { bold, dim, join, type Text, text } from '../../../../lib/text/text.ts'
import {
  type LiveCall,
  type LlmServer,
  type RecordEntry,
  type SandboxEvent,
  startLiveCall,
} from '../../../../sandbox/index.ts'
import { createCallRecorder } from '../../../../scenario/record/call-recorder.ts'
import type { Context, Output } from '../../../shell/context.ts'
import { renderChatEvent } from '../../../shell/render/chat.ts'
import type { ChatEvent } from '../../../shell/render/chat-events.ts'
import { chatCommands } from './lines.ts'
import { describeSources, type PreparedCall } from './prepare.ts'
import type { Transcript } from './transcript.ts'

/** Input that is read again for each call. */
export interface ChatInput {
  readonly prepared: PreparedCall
  /** First lines of the caller. */
  readonly script: readonly CallerTurn[]
}

/** Dependencies of a chat, whoever its caller is. */
interface ChatWorld {
  readonly context: Context
  readonly llm: LlmServer | undefined
  /** Start of its calls in milliseconds since the epoch; undefined for the fixed day of reproducible calls. */
  readonly at: number | 'now' | undefined
  /** True to simulate tools and send nothing to any server. */
  readonly offline: boolean
  readonly transcript: Transcript
  read(context: Context): Promise<ChatInput>
}

export interface ChatSetup extends ChatWorld {
  /** Value of --seed. */
  readonly seed: number | undefined
}

export interface ChatSessionDeps extends ChatWorld {
  /** The caller reads the words as they are made, and can stop them. */
  readonly reads: boolean
  /** Ids of its calls, each another one. */
  readonly newId: () => string
  /** Words of the assistant as they are made; undefined when they are over. */
  drafted(words: string | undefined): void
  /** A call ended that the caller did not leave: its last status was shown. */
  ended(): void
  /** Called when an unfinished call is left: ending it may take a while, during which a signal exits immediately. */
  leaving(): void
}

/** The calls of one chat, one after the other. */
export type ChatSession = ReturnType<typeof createChatSession>

export function createChatSession(deps: ChatSessionDeps) {
  const { context, llm, reads, newId, transcript, at, offline } = deps
  const { output, signal } = context
  const log = createChatLog(output)
  const earlier: RecordEntry[] = []
  const model = { failures: 0, answers: 0 }
  let material: ChatInput | undefined
  let call: LiveCall | undefined
  const shownUnsent = new Set<string>()
  let leaving = false
  let cutOff = false
  let observed = createCallRecorder()

  const observe = (observation: CallObservation) => {
    observed.observe(observation)
    if (observation.kind === 'draft') deps.drafted(observation.text)
    else if (observation.kind === 'answered') model.answers += 1
    else if (observation.kind === 'status') {
      const { record } = observation
      show({ ...observation, record: lastingRecord(record) })
      if (observation.status !== 'finished') return
      cutOff = record.callEndTriggerBy === 'system'
      earlier.push({ kind: 'call', record })
      if (!leaving) deps.ended()
    } else if (observation.kind !== 'listening') {
      show(observation)
      if (observation.kind === 'failure' && observation.part === 'model') model.failures += 1
    }
  }
  const show = (event: ChatEvent) => {
    if (event.kind === 'failure') log.shown(event.message)
    if (event.kind === 'status' || (event.kind === 'message' && event.role === 'assistant'))
      deps.drafted(undefined)
    transcript.write(event)
    output.event(event, () => renderChatEvent(event, output.width))
  }
  const leave = async () => {
    const left = call
    call = undefined
    if (left === undefined) return
    leaving = true
    const continues = !left.isOver()
    const closed = left.close()
    // A signal of before does not count: it may be why this is done.
    const end = signal.aborted ? closed : Promise.race([closed, once(signal, 'abort')])
    if (continues) deps.leaving()
    await end
    leaving = false
  }
  /**
   * Places a call; `interruptions` are said into its first words.
   * @throws CallyardError when a file does not pass or the sandbox refuses the call
   */
  const startCall = async (next: ChatInput, interruptions: readonly CallerTurn[] = []) => {
    material = next
    showSources(next.prepared, output, shownUnsent)
    const { clock, env, options } = context
    const settings = await context.settings()
    const course = createCallRecorder()
    observed = course
    const live = await startLiveCall({
      clock,
      env,
      llm,
      reads,
      newId,
      observe,
      log: log.log,
      body: next.prepared.body,
      entries: [...next.prepared.entries, ...earlier],
      startsAt: startOf(at === 'now' ? clock.now() : at, earlier),
      first: interruptions,
      modelTimeout: options.timeout,
      ...(offline && { allowHost: () => false, answerTool: () => simulatedOffline }),
      vocabulary: settings.vocabulary.value,
      serviceVariables: settings.project?.settings.serviceVariables,
    })
    call = {
      ...live,
      send(turn) {
        const isTaken = live.send(turn)
        if (isTaken) course.onCallerTurn(turn)
        return isTaken
      },
    }
  }
  return {
    /** Undefined before the first, and when the next one could not be placed. */
    get call(): LiveCall | undefined {
      return call
    },
    get script() {
      return material?.script ?? []
    },
    /** Replies were requested from a model and none started. */
    get modelNeverAnswered() {
      return model.failures > 0 && model.answers === 0
    },
    /** The last call was cut off by its assistant's maxCallDuration. */
    get cutOff() {
      return cutOff
    },
    startCall,
    /** Reads the files again, hangs up and places a call. @throws CallyardError as begin does; the current call continues if a file is invalid */
    async restart(interruptions?: readonly CallerTurn[]) {
      const next = await deps.read(context)
      await leave()
      if (!signal.aborted) await startCall(next, interruptions)
    },
    /** Writes the test of the call so far. @throws CallyardError as saveTest does */
    async saveTest(name: string) {
      if (material === undefined) return
      const { saveTest } = await import('./save-test.ts')
      await saveTest(name, { observed, prepared: material.prepared, llm }, context)
    },
    showVariables() {
      const { set, unset } = material?.prepared.variables ?? { set: {}, unset: [] }
      output.event({ kind: 'variables', set, unset }, () => variables(set, unset))
    },
    showHelp: () => showHelp(output),
    /** Hangs up and waits for the end, or for a signal. */
    close: leave,
  }
}

const simulatedOffline = { kind: 'simulated', reason: '--offline is given', after: 0 } as const

/** A call begins after the previous one, whose clock may be ahead of the machine's. */
function startOf(at: number | undefined, earlier: readonly RecordEntry[]): number | undefined {
  const last = earlier.at(-1)
  if (at === undefined || last?.kind !== 'call') return at
  return Math.max(at, Date.parse(last.record.updatedAt) + 1000)
}

/** Removes the addresses of the chat's sandbox, which differ each time and are dead once it has ended. */
function lastingRecord(record: StatusRecord): StatusRecord {
  const { phoneVendorDetails: details } = record
  return {
    ...record,
    monitor: undefined,
    phoneVendorDetails: isObject(details) ? { ...details, statusCallback: undefined } : details,
  }
}

type StatusRecord = Extract<ChatEvent, { kind: 'status' }>['record']

/** Which files or records this call is made of; and once per URL that it sends no webhooks there. */
function showSources({ sources, unsentTo }: PreparedCall, output: Output, printedSources: Set<string>): void {
  const note = (words: string) => output.note(dim(words))
  note(describeSources(sources))
  if (unsentTo === undefined || printedSources.has(unsentTo)) return
  printedSources.add(unsentTo)
  note(`Webhooks are not sent to ${unsentTo}; to send them, pass --webhooks`)
}

function variables(set: Readonly<Record<string, string>>, unset: readonly string[]): Text {
  const lines = [
    ...Object.entries(set).map(([name, value]) => text`  ${bold(name)} = ${value}`),
    ...unset.map(name => text`  ${bold(name)} ${dim('is not set; --var sets it')}`),
  ]
  return lines.length === 0 ? dim('  no variables') : join(lines)
}

function showHelp(output: Output): void {
  const width = Math.max(...Object.keys(chatCommands).map(command => command.length))
  const lines = Object.entries(chatCommands).map(
    ([command, does]) => text`  ${bold(command.padEnd(width))}  ${does}`,
  )
  output.note(
    join([...lines, dim('Type anything else to say it. Press Ctrl-D or Ctrl-C to hang up and exit.')]),
  )
}

/**
 * Prints parts of the embedded sandbox's log: each warning once, the first failed delivery to each URL, and each rule that a receiver
 * breaks. Prints everything with --debug.
 */
function createChatLog(output: Output) {
  const printedSources = new Set<string>()
  const show = (event: SandboxEvent, key: string, words: string) => {
    if (printedSources.has(key)) return
    printedSources.add(key)
    if (output.json) output.event(event, () => undefined)
    else output.note(dim(words))
  }
  return {
    log(event: SandboxEvent) {
      output.debug(`sandbox: ${JSON.stringify(event)}`)
      if (event.kind === 'delivery-failed') {
        const { type, url, reason } = event
        show(
          event,
          `to ${url}`,
          `not delivered: ${type} to ${url}: ${reason}; further failures are not shown`,
        )
      } else if (event.kind === 'wrong-answer') {
        const { url, reason, answer } = event
        show(event, `${reason} ${url}`, `wrong response: ${url} ${reason}: ${oneLine(answer)}`)
      } else if (event.kind === 'warning') {
        // After what happens at this moment: a failure is shown to the caller as itself.
        queueMicrotask(() => show(event, event.message, `warning: ${event.message}`))
      }
    },
    /** The failure is shown already: its line in the log is not shown again. */
    shown: (message: string) => void printedSources.add(message),
  }
}
