import * as z from 'zod/mini'
import type { CallerTurn } from '../../files/formats/caller-script.ts'
import type { CallView, StoredCall, StoredRecord } from '../../files/formats/control-api.ts'
import { inlineAssistantSchema, overridesSchema } from '../../interface/assistant.ts'
import { comparableNumber, type PhoneOutcome } from '../../interface/phone-number.ts'
import { type Vocabulary, withDefaults } from '../../interface/vocabulary.ts'
import { directions, phoneVendors } from '../../interface/words.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { createDeferred } from '../../lib/queue.ts'
import { type ControlCommand, isListening } from '../engine/call-state.ts'
import { outcomeAfter, withOutcome } from '../engine/phone-outcome.ts'
import type { PhoneLine, PhoneLines } from '../records/phone-numbers.ts'
import { notFound, Problem } from '../records/problem.ts'
import type { RunningCall } from './call-runner.ts'
import type { CallServices } from './call-session.ts'
import { toWebhookMessage } from './webhook-messages.ts'

interface CallsOptions extends CallServices {
  readonly lines: PhoneLines
  /** Caller if `metadata.caller` has no script. */
  readonly caller: 'script' | 'live' | 'typed'
  readonly vocabulary: Vocabulary
  readonly serviceVariables?: readonly string[] | undefined
  readonly newId: () => string
  /** Known once the server listens. */
  readonly baseUrl: () => string
}

/** Places calls and keeps those that run. */
export function createCalls(options: CallsOptions) {
  const { records, closed, lines, time, newId, baseUrl, vocabulary, caller } = options
  const running = new Map<string, RunningCall>()
  /** Resolves when no call runs any more, or the session is closed. */
  let quiet: ReturnType<typeof createDeferred<void>> | undefined
  const becomeQuiet = () => {
    quiet?.resolve()
    quiet = undefined
  }
  closed.addEventListener('abort', becomeQuiet)
  let isStopping = false

  /** `scope` is that of the faults of its webhooks. */
  const placeCall = async (
    line: PhoneLine,
    direction: StoredCall['direction'],
    customer: StoredCall['customer'],
    body: AssistantParams,
    scope: string | undefined,
  ) => {
    refuseWhenClosing()
    const id = `CC-${newId()}`
    const assistant = chooseAssistant(line, body)
    const defaultVendor = vocabulary[phoneVendors[0]] ?? phoneVendors[0]
    const { phoneVendor = defaultVendor } = line
    const { resolveCallConfig, startCallSession } = await loadSession()
    const config = resolveCallConfig({
      callId: id,
      assistant,
      overrides: body.assistantOverrides,
      metadata: body.metadata,
      caller,
      serviceVariables: options.serviceVariables,
      playsCustomSounds: phoneVendor !== defaultVendor,
    })
    const now = new Date(time.stamp()).toISOString()
    const controlUrl = `${baseUrl()}/calls/v1/conversations/${id}/control`
    const call: StoredCall = {
      id,
      teamId: records.team.teamId,
      ...(typeof assistant._id === 'string' ? { assistantId: assistant._id } : {}),
      ...(line.phoneNumberId === undefined ? {} : { phoneNumberId: line.phoneNumberId }),
      direction,
      createdAt: now,
      updatedAt: now,
      customer,
      status: 'queued',
      ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
      phoneVendor,
      phoneVendorDetails: {
        from: direction === 'outbound' ? line.number : customer.number,
        to: direction === 'outbound' ? customer.number : line.number,
        [`${vocabulary['<vendor>'] ?? '<vendor>'}ml`]: '<Response/>',
        responseType: 'stream',
        statusCallback: `${baseUrl()}/calls/v1/conversations/${id}/status`,
        statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      },
      monitor: { controlUrl },
    }
    // Before anything is written: calls that are placed at once each take the next outcome of their number.
    const outcome = takeOutcome(call)
    await records.save({ kind: 'call', record: call }).catch(error => {
      giveBackOutcome(call)
      throw error
    })
    // Records may have been written while the sandbox began to stop: emit nothing for a call that was never announced.
    refuseWhenClosing()
    const plan = withOutcome(config.plan, outcome)
    const session = startCallSession({ call, assistant, config: { ...config, plan }, scope }, options)
    running.set(id, session)
    void session.ended.then(() => {
      running.delete(id)
      if (running.size === 0) becomeQuiet()
    })
    return call
  }

  /** Number of outbound calls to each number, those of the records included. */
  let callsTo: Map<string, number> | undefined
  const count = (number: string, counts: Map<string, number>, change = 1) => {
    const comparable = comparableNumber(number)
    const calls = counts.get(comparable) ?? 0
    counts.set(comparable, calls + change)
    return calls
  }
  /** Outcome of a call to the user, by the earlier calls to the same number; a calling user always picks up. */
  const takeOutcome = ({ direction, customer: { number } }: StoredCall): PhoneOutcome => {
    if (direction === 'inbound') return 'answered'
    if (callsTo === undefined) {
      callsTo = new Map()
      for (const other of records.store.calls())
        if (other.direction === 'outbound') count(other.customer.number, callsTo)
    }
    return outcomeAfter(lines.outcomesOf(number), count(number, callsTo))
  }
  const giveBackOutcome = ({ direction, customer: { number } }: StoredCall) => {
    if (direction === 'outbound' && callsTo !== undefined) count(number, callsTo, -1)
  }

  const chooseAssistant = (line: PhoneLine, { assistant, assistantId }: AssistantParams) => {
    if (assistant !== undefined) return withDefaults(inlineAssistantSchema(vocabulary), assistant)
    if (assistantId === undefined) return line.defaultAssistant()
    const record: StoredRecord | undefined = records.store.assistant(assistantId)
    if (record !== undefined) return record
    throw notFound('assistant with the id', assistantId, 'use an _id returned by Create assistant')
  }

  const refuseWhenClosing = () => {
    closed.throwIfAborted()
    if (isStopping) throw new Problem(503, 'the sandbox is stopping and takes no more calls')
  }
  const find = (id: string) => {
    const call = records.store.call(id)
    if (call !== undefined) return call
    throw notFound('call with the id', id)
  }
  const stateOf = (call: StoredCall): CallView => {
    const session = running.get(call.id)
    if (session === undefined) return call
    const messages = session.state.messages.map(toWebhookMessage)
    return { ...call, messages, ...(isListening(session.state) ? { listening: true } : {}) }
  }
  const idle = async () => {
    if (running.size === 0 || closed.aborted) return
    quiet ??= createDeferred()
    await quiet.promise
  }
  /** @throws Problem 404 for an unknown call, 409 for one that does not talk */
  const intervene = (id: string, intervention: ControlCommand) => {
    const { status } = find(id)
    const call = running.get(id)
    const over = call === undefined || call.state.phase === 'finished'
    if (over || (intervention.type !== 'hang-up' && call.state.phase !== 'ongoing')) {
      throw new Problem(409, `the call is ${over ? 'over' : status}; nothing can be done to it now`)
    }
    call.control(intervention)
  }
  return {
    /** interface.md 4.1. */
    start: (body: StartCallBody, scope?: string) =>
      placeCall(lines.byNumber(body.assistantNumber), 'outbound', { number: body.userNumber }, body, scope),
    /** interface.md 4.2. */
    connect: (body: ConnectCallBody, scope?: string) =>
      placeCall(lines.byId(body.phoneNumberId), body.direction, body.customer, body, scope),
    /** The states of all calls, in the order in which they were placed. */
    list: () => Array.from(records.store.calls(), stateOf),
    /** The state of a call, running or over, as the control URL shows it. @throws Problem 404 */
    state: (id: string) => stateOf(find(id)),
    intervene,
    /** Does what a live caller does. @throws Problem as intervene */
    act: (id: string, turn: CallerTurn) => intervene(id, parseControl(turn)),
    /** Resolves when no call runs. */
    idle,
    /** Ends every call; each still sends its last status. */
    async endAll() {
      isStopping = true
      for (const call of running.values()) call.control({ type: 'hang-up', by: 'system' })
      await idle()
    },
  }
}

/** Loaded by the first call: the engine, replies, tools and analyses are half of the sandbox, and a start needs none of them. */
const loadSession = lazy(async () => {
  const [{ resolveCallConfig }, { startCallSession }] = await Promise.all([
    import('./call-config.ts'),
    import('./call-session.ts'),
  ])
  return { resolveCallConfig, startCallSession }
})

const assistantParams = lazy(() =>
  z.object({
    assistant: z.optional(z.record(z.string(), z.unknown())),
    assistantId: z.optional(z.string()),
    assistantOverrides: z.optional(overridesSchema()),
    metadata: z.optional(z.record(z.string(), z.unknown())),
  }),
)
type AssistantParams = Infer<typeof assistantParams>

/** interface.md 4.1 and 4.2 as the sandbox reads them, after the interface's own schemas passed them. */
export const startCallBody = lazy(() =>
  z.object({
    userNumber: z.string(),
    assistantNumber: z.string(),
    ...assistantParams().shape,
  }),
)
type StartCallBody = Infer<typeof startCallBody>

export const connectCallBody = lazy(() =>
  z.object({
    direction: z.enum(directions),
    phoneNumberId: z.string(),
    customer: z.object({ number: z.string(), name: z.optional(z.string()) }),
    ...assistantParams().shape,
  }),
)
type ConnectCallBody = Infer<typeof connectCallBody>

function parseControl(turn: CallerTurn): ControlCommand {
  switch (turn.type) {
    case 'say':
      return { type: 'say', role: 'user', text: turn.text }
    case 'hang-up':
      return { type: 'hang-up', by: 'user' }
    default:
      return turn
  }
}
