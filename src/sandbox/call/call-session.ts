import type {
  CallObservation,
  FailedPart,
  ToolResult,
  ToolRun,
} from '../../files/formats/call-observation.ts'
import type { StoredCall } from '../../files/formats/control-api.ts'
import type { WebhookStatus } from '../../interface/words.ts'
import type { Clock } from '../../lib/clock.ts'
import { getErrorReason } from '../../lib/error.ts'
import { parseJson } from '../../lib/json.ts'
import { analyzeByModel } from '../analysis/by-model.ts'
import { analyzeByRule, type MadeAnalysis } from '../analysis/by-rule.ts'
import type { WorldClock } from '../clock/world-clock.ts'
import type { CallEffect, CallState } from '../engine/call-state.ts'
import type { Log } from '../event-schemas.ts'
import type { CallTrace, WithoutCall } from '../events.ts'
import type { ChatModel, ModelRequest, ModelUse } from '../model/index.ts'
import type { JsonSender } from '../outgoing/json-sender.ts'
import type { Records } from '../records/records.ts'
import { createModelResponder } from '../reply/model-responder.ts'
import { createOfflineResponder } from '../reply/offline-responder.ts'
import { earlierCalls } from '../reply/prompt.ts'
import type { ToolOutcome } from '../tools/call-tool.ts'
import type { ToolReplacement } from '../tools/function-tool.ts'
import type { Knowledge, KnowledgeSearch } from '../tools/knowledge.ts'
import { selectTools } from '../tools/tools-of.ts'
import type { WebhookDelivery } from '../webhooks/delivery.ts'
import type { CallConfig } from './call-config.ts'
import { type CallDeps, type RunningCall, runCall } from './call-runner.ts'
import { traceStep } from './call-trace.ts'
import {
  createMessageLog,
  statusUpdate,
  toolEvent,
  toWebhookMessage,
  webhookCall,
} from './webhook-messages.ts'

/** Services that all calls of a sandbox share. */
export interface CallServices {
  readonly records: Records
  readonly delivery: WebhookDelivery
  readonly knowledge: Knowledge
  /** For the servers of function tools. */
  readonly sender: JsonSender
  /** Undefined: replies and analysis are made by rule. */
  readonly modelFor: (wish: ModelRequest, use: ModelUse) => ChatModel | undefined
  /** The machine's clock, for requests to servers. */
  readonly clock: Clock
  readonly time: WorldClock
  readonly log: Log
  readonly observe: (observation: CallObservation) => void
  readonly trace?: ((event: CallTrace) => void) | undefined
  /** Aborts when the session ends by a reset or restore; its reason is the response to requests that continue. */
  readonly closed: AbortSignal
  readonly answerTool?: ((run: ToolRun) => ToolReplacement | undefined) | undefined
  /** Aborts when the sandbox stops and waits no longer. */
  readonly stopping: AbortSignal
}

interface Placed {
  readonly call: StoredCall
  /** The assistant's record, interface.md 2.1. */
  readonly assistant: Readonly<Record<string, unknown>>
  readonly config: CallConfig
  readonly scope: string | undefined
}

type ToolCall = NonNullable<StoredCall['toolCalls']>[number]
type Failure = NonNullable<StoredCall['failures']>[number]

/** Runs one call: converts the engine's events to webhooks, records and observations, and analyzes the end. */
export function startCallSession(
  { call, assistant, config, scope }: Placed,
  services: CallServices,
): RunningCall {
  const { records, delivery, clock, time, log, closed, stopping } = services
  const { id: callId } = call
  const outbox = delivery.outbox({ callId, scope }, config.webhooks)
  const toolCalls: ToolCall[] = []
  /** ISO 8601, by the id of the tool's run. */
  const startTimes = new Map<string, string>()
  /** Results of asynchronous tools that arrived before their acceptance. */
  const earlyOutcomes = new Map<string, Omit<ToolOutcome, 'ending'>>()
  const failures: Failure[] = []
  const messageLog = createMessageLog()
  let current = call

  const observe = (observation: WithoutCall<CallObservation>) => services.observe({ callId, ...observation })
  const warn = (message: string) => log({ kind: 'warning', callId, message })
  const failed = (part: FailedPart, message: string) => {
    warn(message)
    const failedAt = toIso(running.time.now())
    failures.push({ part, message, failedAt })
    observe({ kind: 'failure', part, message, failedAt })
    services.trace?.({ callId, kind: 'failure', at: running.time.now(), part, message })
  }
  const sendStatus = (status: WebhookStatus, changes: Partial<StoredCall>, at: number) => {
    current = { ...current, ...changes, updatedAt: toIso(at) }
    if (status !== 'queued') records.keep({ kind: 'call', record: current })
    outbox.send(statusUpdate(current, assistant), at)
    const { phoneCallStatus } = current
    log({ kind: 'call', callId, status, ...(phoneCallStatus === undefined ? {} : { phoneCallStatus }) })
    observe({ kind: 'status', status, record: current })
  }
  const toolEnded = (result: ToolResult, times: Readonly<Record<string, string>>) => {
    const at = running.time.now()
    services.trace?.({ callId, kind: 'tool-ended', at: running.isOver ? undefined : at, result })
    const { content, ...rest } = result
    outbox.send(
      toolEvent('tool-ended', current, { ...rest, result: parseJson(content) ?? content, ...times }),
      at,
    )
  }
  const onSearch = (search: KnowledgeSearch) =>
    services.trace?.({ callId, kind: 'searched', at: running.time.now(), ...search })
  const handleEvent: CallDeps['onEvent'] = event => {
    if (event.kind === 'failure') {
      failed(event.part, event.message)
      return
    }
    const now = running.time.now()
    if (event.kind === 'tool-started') {
      const startedAt = toIso(now)
      startTimes.set(event.run.id, startedAt)
      observe({ ...event, run: { ...event.run, startedAt } })
      services.trace?.({ callId, kind: 'tool-started', at: now, run: event.run })
      outbox.send(toolEvent('tool-started', current, { ...event.run, startedAt }), now)
    } else if (event.kind === 'tool-ended') {
      const { result } = event
      const times = { startedAt: startTimes.get(result.id) ?? toIso(now), endedAt: toIso(now) }
      observe({ ...event, result: { ...result, ...times } })
      const toolCall = {
        ...result,
        content: truncateContent(result.content),
        ...earlyOutcomes.get(result.id),
      }
      toolCalls.push({ ...toolCall, ...times })
      toolEnded(toolCall, times)
    } else observe(event)
  }

  const fill = (text: string) => {
    const filledText = config.fill(text)
    warnOfUnset()
    return filledText
  }
  const reportedNames = new Set<string>()
  const warnOfUnset = () => {
    for (const name of config.unsetVariables) {
      if (!reportedNames.has(name)) warn(`the variable {{${name}}} is not set`)
      reportedNames.add(name)
    }
  }
  const model = services.modelFor(config.model, 'reply')
  const { tools, problems } = selectTools(
    {
      ...config,
      callId,
      fill,
      functionTools: config.toolIds.flatMap(id => {
        const tool = records.store.tool(id)
        return tool === undefined ? [] : [tool]
      }),
    },
    {
      ...services,
      call: () => webhookCall(current),
      customer: call.customer,
      simulates: model === undefined,
      after: (milliseconds, onTime) => running.time.at(running.time.now() + milliseconds, onTime),
      sleep: milliseconds => running.time.sleep(milliseconds),
      duringExternalCall: work => running.time.duringExternalCall(work),
      realTime: clock.now,
      async passRealTime(milliseconds) {
        if (time.pace === 0 && !time.frozen) await running.time.sleep(milliseconds)
      },
      onSearch,
    },
  )
  const later = {
    say: (text: string) => running.sayLater(text),
    work(run: ToolRun, outcome: Promise<ToolOutcome>) {
      const settledOutcome = outcome.then(result => {
        const index = toolCalls.findIndex(({ id }) => id === run.id)
        const before = toolCalls[index]
        const { ending: _, ...outcome } = result
        const toolOutcome = { ...outcome, content: truncateContent(outcome.content) }
        const endedAt = toIso(running.time.now())
        const accepted = before === undefined ? {} : { acceptedAt: String(before.endedAt) }
        if (before === undefined) earlyOutcomes.set(run.id, toolOutcome)
        else toolCalls[index] = { ...before, ...toolOutcome, endedAt, ...accepted }
        toolEnded(
          { ...run, ...toolOutcome },
          { startedAt: startTimes.get(run.id) ?? endedAt, endedAt, ...accepted },
        )
        if (result.failure !== undefined) failed('tool', result.failure)
        return result
      })
      running.workOn(settledOutcome)
    },
  }
  const respond =
    model === undefined
      ? createOfflineResponder({
          callId: call.id,
          knowledge: services.knowledge,
          fill,
          onSearch,
          knowledgeBaseIds: config.knowledgeBaseIds,
          tools,
          placedAt: new Date(call.createdAt),
          later,
        })
      : createModelResponder({
          ...config.model,
          model,
          tools,
          later,
          earlier: earlierCalls(records.store.calls(), call, config.remembersFor),
        })
  for (const problem of [...config.problems, ...problems]) warn(problem)
  warnOfUnset()

  /** interface.md 2.4: by the model where there is one, else by rule. */
  const analyze = (state: CallState) => {
    const { assistantName, analysis } = config
    const { metadata } = call
    const ended = { ...state, assistantName, metadata, toolCalls }
    const analyst = services.modelFor(config.model, 'analysis')
    return analyst === undefined
      ? analyzeByRule(analysis, ended)
      : analyzeByModel(analysis, ended, { model: analyst, clock, signal: stopping })
  }
  const ended = async (state: CallState) => {
    if (closed.aborted) return
    const { endedAt = Date.parse(call.createdAt), endedBy, forwardedTo, messages, phoneCallStatus } = state
    // Calls that nobody picked up have no analysis.
    const { analysis, failures: missing = [] }: Partial<MadeAnalysis> =
      phoneCallStatus === undefined ? await analyze(state) : {}
    for (const message of missing) failed('analysis', message)
    const unsetVariables = [...config.unsetVariables]
    sendStatus(
      'finished',
      {
        status: forwardedTo === undefined ? 'completed' : 'forwarded',
        ...startOf(state),
        endAt: toIso(endedAt),
        ...(forwardedTo === undefined ? {} : { phoneCallStatus: 'forwarded' }),
        ...(phoneCallStatus === undefined ? {} : { phoneCallStatus }),
        callEndTriggerBy: endedBy,
        ...(analysis === undefined ? {} : { analysis }),
        ...(forwardedTo === undefined ? {} : { forwardedTo: { ...forwardedTo } }),
        messages: messages.map(toStoredMessage),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        ...(failures.length === 0 ? {} : { failures }),
        ...(unsetVariables.length === 0 ? {} : { unsetVariables }),
      },
      endedAt,
    )
  }
  const onStep: CallDeps['onStep'] = step => {
    if (services.trace !== undefined)
      for (const event of traceStep(config.plan, step)) services.trace({ callId, ...event })
    for (const effect of step.effects) handleEffect(effect, step.after)
  }
  const handleEffect = (effect: CallEffect, state: CallState) => {
    switch (effect.type) {
      case 'status': {
        const { status } = effect
        // The last status follows with the analysis, when the tools have ended.
        if (status === 'finished') break
        const changes = { status: status === 'queued' ? status : 'ongoing', ...startOf(state) } as const
        sendStatus(status, changes, state.startedAt ?? Date.parse(call.createdAt))
        break
      }
      case 'conversation':
        outbox.send(messageLog.add(effect.message, current), effect.message.at)
        observe({ kind: 'message', ...toStoredMessage(effect.message) })
        break
      case 'draft':
        observe({ kind: 'draft', text: effect.text })
        break
      case 'listen':
        observe({ kind: 'listening' })
        break
      case 'warning':
        warn(effect.message)
    }
  }
  const running: RunningCall = runCall(config.plan, {
    time,
    closed,
    placedAt: Date.parse(call.createdAt),
    respond,
    onStep,
    onEvent: handleEvent,
    ended,
    onBreak(error) {
      warn(`the call failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      services.trace?.({ callId, kind: 'broke', message: getErrorReason(error) })
      const endAt = current.updatedAt
      sendStatus('finished', { status: 'completed', endAt, callEndTriggerBy: 'system' }, Date.parse(endAt))
    },
  })
  return running
}

function startOf({ startedAt }: CallState): Partial<StoredCall> {
  return startedAt === undefined ? {} : { startAt: toIso(startedAt) }
}

function toStoredMessage(message: CallState['messages'][number]) {
  return {
    ...toWebhookMessage(message),
    ...(message.interrupted === true ? { interrupted: true as const } : {}),
  }
}

/** Characters of a tool's response that the record keeps. */
const maxContentLength = 16 * 1024

function truncateContent(content: string): string {
  if (content.length <= maxContentLength) return content
  return `${content.slice(0, maxContentLength)}… (${content.length} characters)`
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
