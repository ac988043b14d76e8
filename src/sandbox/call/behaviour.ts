import * as z from 'zod/mini'
import type { Finding } from '../../errors.ts'
import { analysisSchema } from '../../interface/analysis.ts'
import type { Overrides } from '../../interface/overrides.ts'
import { overridesSchema } from '../../interface/overrides.ts'
import { refusal } from '../problem.ts'
import type { CallPlan } from './call-engine.ts'

/** The shape of `assistantServer` that the sandbox reads; the interface does not show it. Other keys are ignored. */
const serverSchema = z.looseObject({
  url: z.optional(z.string()),
  messages: z.optional(z.array(z.string())),
  headers: z.optional(z.record(z.string(), z.string())),
  timeoutSeconds: z.optional(z.number().check(z.positive())),
  enabled: z.optional(z.boolean()),
})

/** What the sandbox reads of an assistant; all else is kept and has no effect on a call yet. */
const behaviourSchema = z.looseObject({
  name: z.optional(z.string()),
  welcomeMessage: z.optional(z.string()),
  welcomeMessageMode: z.optional(z.string()),
  assistantPredefinedTools: z.optional(
    z.looseObject({ knowledgeBase: z.optional(z.boolean()), endCall: z.optional(z.boolean()) }),
  ),
  assistantKnowledgeBaseIds: z.optional(z.array(z.string())),
  endCallMessage: z.optional(z.string()),
  endCallPhrases: z.optional(z.array(z.string())),
  maxCallDuration: z.optional(z.number()),
  assistantAnalysis: z.optional(analysisSchema),
  assistantServer: z.optional(serverSchema),
  assistantOverrides: z.optional(overridesSchema),
})

export type Analysis = z.infer<typeof analysisSchema>

/** Where the webhooks of a call go. */
export interface WebhookTarget {
  readonly url: string
  /** Undefined: all types. */
  readonly messages: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

/** How one call behaves: its assistant with all overrides applied and its variables filled in. */
export interface Behaviour {
  readonly assistantName: string | undefined
  readonly plan: CallPlan
  /** Empty: the knowledge-base tool is off, or has nothing to look into. */
  readonly knowledgeBaseIds: readonly string[]
  readonly analysis: Analysis | undefined
  readonly webhooks: WebhookTarget | undefined
  /** Variables that a text names and nobody set; they stay as they are. */
  readonly unsetVariables: readonly string[]
}

interface CallInput {
  readonly callId: string
  readonly assistant: Readonly<Record<string, unknown>>
  /** Of the call; they win over those of the assistant. */
  readonly overrides: Overrides | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

const builtInCaller = ['Hello, who am I talking to?', 'What can you help me with?', 'Thank you, goodbye.']
const standardTimeoutSeconds = 10

/** interface.md 2.1, 2.6 and 4: the assistant, then its own overrides, then those of the call. */
export function behaviourOf({ callId, assistant, overrides, metadata }: CallInput): Behaviour {
  const own = behaviourSchema.parse(assistant)
  const effective = { ...own, ...own.assistantOverrides, ...overrides }
  const variables = { ...own.assistantOverrides?.dynamicVariables, ...overrides?.dynamicVariables }
  const unset = new Set<string>()
  const fill = (text: string | undefined) => fillVariables(text ?? '', variables, unset)
  const tools = own.assistantPredefinedTools ?? {}
  return {
    assistantName: own.name,
    plan: {
      callId,
      welcomeMessage: fill(effective.welcomeMessage),
      callerSpeaksFirst: effective.welcomeMessageMode === 'assistant-waits-for-user',
      callerLines: callerLines(metadata),
      endCall:
        tools.endCall === true
          ? { phrases: own.endCallPhrases ?? [], message: fill(own.endCallMessage) }
          : undefined,
      maxDuration: own.maxCallDuration === undefined ? undefined : own.maxCallDuration * 60_000,
    },
    knowledgeBaseIds: tools.knowledgeBase === true ? (own.assistantKnowledgeBaseIds ?? []) : [],
    analysis: own.assistantAnalysis,
    webhooks: webhookTarget(own.assistantServer),
    unsetVariables: [...unset],
  }
}

/** What the sandbox could not read of `assistantServer`: refused at once, not found out by missing webhooks. */
export function checkServer(
  assistant: Readonly<Record<string, unknown>>,
  at: readonly string[] = [],
): Finding[] {
  const path = [...at, 'assistantServer']
  const server = z.optional(serverSchema).safeParse(assistant.assistantServer)
  if (!server.success) {
    return server.error.issues.map(issue => {
      const where = [...path, ...issue.path.map(part => (typeof part === 'number' ? part : String(part)))]
      return refusal(
        where,
        'wrong-type',
        `${where.join('.')} cannot be read by the sandbox: ${issue.message}`,
        'the sandbox reads { url, messages: [types], headers: {name: value}, timeoutSeconds, enabled }',
      )
    })
  }
  const url = server.data?.url
  if (url === undefined || isHttp(url)) return []
  return [
    refusal(
      [...path, 'url'],
      'wrong-format',
      'assistantServer.url is not an http:// or https:// URL',
      'for example http://127.0.0.1:4011/, where callwright webhook tail listens',
    ),
  ]
}

function webhookTarget(server: z.infer<typeof serverSchema> | undefined): WebhookTarget | undefined {
  if (server?.url === undefined || server.enabled === false) return undefined
  return {
    url: server.url,
    messages: server.messages,
    headers: server.headers ?? {},
    timeoutSeconds: server.timeoutSeconds ?? standardTimeoutSeconds,
  }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/** `metadata` is free-form: only a list of strings under `caller` is a script, anything else is the client's own. */
function callerLines(metadata: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const script = z.array(z.string()).safeParse(metadata?.caller)
  return script.success ? script.data.filter(line => line.trim() !== '') : builtInCaller
}

function fillVariables(
  text: string,
  variables: Readonly<Record<string, string>>,
  unset: Set<string>,
): string {
  return text.replace(/\{\{\s*([^\s{}]+)\s*\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) unset.add(name)
    return value ?? whole
  })
}
