import * as z from 'zod/mini'
import { type CallerTurn, callerTurns } from '../../files/formats/caller-script.ts'
import type { Analysis } from '../../interface/analysis.ts'
import type { Overrides } from '../../interface/assistant.ts'
import { inlineAssistantFields } from '../../interface/assistant.ts'
import { startSpeakingSchema } from '../../interface/speech.ts'
import { createVariables } from '../../interface/variables.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import type { CallPlan } from '../engine/call-state.ts'
import { answeredPhone } from '../engine/phone-outcome.ts'
import type { TurnTaking } from '../engine/turn-taking.ts'
import type { ModelRequest } from '../model/index.ts'
import type { ToolConfig } from '../tools/call-tool.ts'
import { serverSchema, type WebhookTarget, webhookTarget } from '../webhooks/delivery.ts'

/** The fields that have an effect on a call; all others are kept and have none (`help sandbox-fields`). */
const fieldsWithEffect = {
  name: true,
  welcomeMessage: true,
  welcomeMessageMode: true,
  welcomeMessageInterruptionsEnabled: true,
  assistantProvider: true,
  assistantModel: true,
  assistantLLMUrl: true,
  assistantSystemPrompt: true,
  assistantTemperature: true,
  assistantMaxTokens: true,
  assistantResponseSplitter: true,
  backgroundSound: true,
  dtmfInputEnabled: true,
  maxCallDuration: true,
  idleTimeout: true,
  maxIdleMessagesInSequence: true,
  startSpeakingOptions: true,
  stopSpeakingOptions: true,
  userInterruptionAckPlan: true,
  assistantToolIds: true,
  assistantPredefinedTools: true,
  assistantKnowledgeBaseIds: true,
  endCallMessage: true,
  endCallToolDescription: true,
  endCallPhrases: true,
  callForwardData: true,
  assistantAnalysis: true,
  assistantServer: true,
  assistantOverrides: true,
  persistHistory: true,
} as const

/**
 * An assistant as the sandbox reads it, after the interface's own schema passed it: a record of the journal may have words of
 * another vocabulary.
 */
export const sandboxAssistantSchema = lazy(() => {
  const word = z.optional(z.string())
  return z.looseObject({
    ...z.pick(z.object(inlineAssistantFields()), fieldsWithEffect).shape,
    assistantProvider: word,
    assistantModel: word,
    startSpeakingOptions: z.optional(z.looseObject(startSpeakingSchema({}).shape)),
    assistantServer: z.optional(serverSchema()),
  })
})

type Assistant = Infer<typeof sandboxAssistantSchema>

/** Configuration of one call: its assistant with all overrides applied and its variables filled in. */
export interface CallConfig extends Omit<ToolConfig, 'callId' | 'functionTools' | 'fill'> {
  readonly assistantName: string | undefined
  readonly plan: CallPlan
  readonly model: ModelRequest
  readonly toolIds: readonly string[]
  /** Days for which earlier calls with the same number are remembered; undefined: not at all. */
  readonly remembersFor: number | undefined
  readonly analysis: Analysis
  readonly webhooks: WebhookTarget | undefined
  /** Fills variables in other texts, such as the messages of tools. */
  fill(text: string): string
  /** Variables that a text names and that are not set; they stay as they are. It grows while texts are filled. */
  readonly unsetVariables: ReadonlySet<string>
  /** Problems of the call's script, such as keys that its line cannot hear. */
  readonly problems: readonly string[]
}

interface CallInput {
  readonly callId: string
  readonly assistant: Readonly<Record<string, unknown>>
  /** Overrides of the call, which take precedence over the assistant's. */
  readonly overrides: Overrides | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  /** Caller if the metadata has no script. */
  readonly caller: 'script' | 'live' | 'typed'
  /** interface.md 2.1: the phone vendor supports a custom backgroundSound. */
  readonly playsCustomSounds: boolean
  readonly serviceVariables?: readonly string[] | undefined
}

const builtInCaller: readonly CallerTurn[] = [
  'Hello, who am I talking to?',
  'What can you help me with?',
  'Thank you, goodbye.',
].map(text => ({ type: 'say', text }))

export const idleMessage = 'Are you still there?'
const defaultIdleSeconds = 30
/** interface.md 8: the longest that any assistant may ask for. */
const maxCallMinutes = 120
const defaultWaitSeconds = 0.4
const defaultVoiceSeconds = 0.2

/** interface.md 2.1, 2.3, 2.6 and 4: the assistant, then its own overrides, then those of the call. */
export function resolveCallConfig(input: CallInput): CallConfig {
  const { callId, assistant, overrides, metadata, caller } = input
  const own = sandboxAssistantSchema().parse(assistant)
  const effective = { ...own, ...own.assistantOverrides, ...overrides }
  const variables = { ...own.assistantOverrides?.dynamicVariables, ...overrides?.dynamicVariables }
  const { fill, unset } = createVariables(variables, input.serviceVariables)
  const filled = (text: string | undefined) => (text === undefined ? undefined : fill(text))
  const switches = own.assistantPredefinedTools ?? {}
  const { turns, problems } = callerTurns(metadata)
  const endCallMessage = fill(own.endCallMessage ?? '')
  return {
    assistantName: own.name,
    plan: {
      callId,
      phone: answeredPhone,
      welcome: {
        message: fill(effective.welcomeMessage ?? ''),
        callerFirst: effective.welcomeMessageMode === 'assistant-waits-for-user',
        interruptible: effective.welcomeMessageInterruptionsEnabled === true,
      },
      script: turns ?? (caller === 'script' ? builtInCaller : undefined),
      turnTaking: turnTakingOf(own, caller === 'typed', fill),
      endCall:
        switches.endCall === true
          ? { phrases: (own.endCallPhrases ?? []).map(fill), message: endCallMessage }
          : undefined,
      idle: {
        after: seconds(own.idleTimeout ?? defaultIdleSeconds),
        most: own.maxIdleMessagesInSequence,
        message: idleMessage,
      },
      maxDuration: seconds((own.maxCallDuration ?? maxCallMinutes) * 60),
      keysHeard: own.dtmfInputEnabled === true,
    },
    model: {
      customUrl: own.assistantProvider === 'custom-llm' ? own.assistantLLMUrl : undefined,
      model: own.assistantModel ?? '',
      systemPrompt: fill(own.assistantSystemPrompt ?? ''),
      temperature: own.assistantTemperature ?? 0,
      maxTokens: own.assistantMaxTokens ?? 256,
      splitter: own.assistantResponseSplitter,
      // A recorder also fills texts outside of calls; variables missing there do not count as unset.
      fill: createVariables(variables).fill,
    },
    toolIds: own.assistantToolIds ?? [],
    switches,
    knowledgeBaseIds: switches.knowledgeBase === true ? (own.assistantKnowledgeBaseIds ?? []) : [],
    endCallMessage,
    endCallToolDescription: filled(own.endCallToolDescription),
    forwardTargets: [own.callForwardData ?? []].flat().map(({ phoneNumber, extension, name }) => ({
      phoneNumber: filled(phoneNumber),
      extension: filled(extension),
      name: filled(name),
    })),
    remembersFor: remembersFor(own),
    analysis: fillPrompts(own.assistantAnalysis ?? {}, fill),
    webhooks: webhookTarget(own.assistantServer),
    fill,
    unsetVariables: unset,
    problems: [...problems, ...soundProblems(own.backgroundSound, input.playsCustomSounds)],
  }
}

function turnTakingOf(assistant: Assistant, typed: boolean, fill: CallConfig['fill']): TurnTaking {
  const {
    startSpeakingOptions: start = {},
    stopSpeakingOptions: stop,
    userInterruptionAckPlan: plan,
  } = assistant
  const { enabled, count, words, phrases = [] } = plan ?? {}
  return {
    typed,
    wait: {
      always: seconds(start.waitSeconds ?? defaultWaitSeconds),
      afterPunctuation: seconds(start.onPunctuationSeconds ?? 0),
      afterNumber: seconds(start.onNumberSeconds ?? 0),
      afterOther: seconds(start.onNoPunctuationSeconds ?? 0),
    },
    bargeIn: { words: stop?.numberOfWords ?? 0, voice: seconds(stop?.voiceSeconds ?? defaultVoiceSeconds) },
    acknowledgement:
      enabled === true && phrases.length > 0
        ? {
            count: count ?? Number.POSITIVE_INFINITY,
            words: words ?? Number.POSITIVE_INFINITY,
            phrases: phrases.map(fill),
          }
        : undefined,
  }
}

/** interface.md 2.1, persistHistory. The unit of retentionPeriod is not shown; the sandbox takes days. */
function remembersFor({ persistHistory: persistence }: Assistant): number | undefined {
  if (persistence?.enabled !== true || persistence.call === false) return undefined
  return persistence.retentionPeriod ?? Number.POSITIVE_INFINITY
}

function fillPrompts(analysis: Analysis, fill: (text: string) => string): Analysis {
  const { summary, successEvaluation, structuredData } = analysis
  const withPrompt = <Part extends { prompt?: string | undefined }>(part: Part): Part =>
    part.prompt === undefined ? part : { ...part, prompt: fill(part.prompt) }
  return {
    ...(summary && { summary: withPrompt(summary) }),
    ...(successEvaluation && { successEvaluation: withPrompt(successEvaluation) }),
    ...(structuredData && { structuredData: withPrompt(structuredData) }),
  }
}

/** Never negative, because times in the past have no meaning. */
function seconds(amount: number): number {
  return Math.max(0, Math.round(amount * 1000))
}

/** interface.md 2.1: what cannot be heard of a background sound on the line of a call. */
function soundProblems(backgroundSound: string | undefined, playsCustomSounds: boolean): string[] {
  if (playsCustomSounds || backgroundSound?.startsWith('https://') !== true) return []
  return [
    'the custom backgroundSound cannot be heard: <phone_vendor_1> does not support custom sounds (interface.md 2.1); write enable or disable, or give the number phoneVendor <phone_vendor_2>',
  ]
}
