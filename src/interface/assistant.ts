import * as z from 'zod'
import { analysisSchema } from './analysis.ts'
import { overridesSchema, welcomeMessageModes } from './overrides.ts'
import { speechSchema } from './speech.ts'
import {
  interruptionAckSchema,
  predefinedToolsSchema,
  startSpeakingSchema,
  stopSpeakingSchema,
} from './turn-taking.ts'
import { type Vocabulary, wordEnum } from './vocabulary.ts'

export const assistantProviders = [
  '<provider_1>',
  '<provider_2>',
  '<provider_3>',
  '<provider_4>',
  '<provider_5>',
  'custom-llm',
] as const

export const assistantModels = ['<model_1>', '<model_2>', '<model_3>', '<model_4>'] as const

const ids = z.array(z.string())

const forwardTarget = z.strictObject({
  phoneNumber: z.string().optional().describe('Number to forward to'),
  extension: z.string().optional().describe('Extension to dial'),
  name: z.string().optional().describe('Who answers there'),
})

/** interface.md 2.1, limits of section 8: the body of Create assistant. Defaults are the service's business. */
export const assistantSchema = (vocabulary: Vocabulary = {}) =>
  z.strictObject(assistantFields(vocabulary)).superRefine(checkDependencies, { when: () => true })

/** interface.md 4.1: an assistant inside a call, the same fields; nothing says that it needs a name. */
export const inlineAssistantSchema = (vocabulary: Vocabulary = {}) =>
  z
    .strictObject({
      ...assistantFields(vocabulary),
      name: z.string().optional().describe('Name of the assistant'),
    })
    .superRefine(checkDependencies, { when: () => true })

export type Assistant = z.infer<ReturnType<typeof assistantSchema>>

/** interface.md 2.1: what the service answers. Extra and missing fields are kept and shown; only the id must be there. */
export const assistantRecordSchema = z.looseObject({ _id: z.string().min(1), name: z.string().optional() })
export type AssistantRecord = z.infer<typeof assistantRecordSchema>

const assistantFields = (vocabulary: Vocabulary) => ({
  name: z.string().describe('Name of the assistant'),
  welcomeMessage: z.string().optional().meta({ description: 'Welcome message', default: 'hi' }),
  welcomeMessageMode: z
    .enum(welcomeMessageModes)
    .optional()
    .meta({ description: 'Who speaks first', default: 'automatic' }),
  welcomeMessageInterruptionsEnabled: z.boolean().optional().meta({
    description: 'When false the user cannot interrupt the welcome message',
    default: false,
  }),
  assistantProvider: wordEnum(vocabulary, assistantProviders)
    .optional()
    .meta({
      description: 'Model provider',
      default: vocabulary['<provider_2>'] ?? '<provider_2>',
    }),
  assistantModel: wordEnum(vocabulary, assistantModels)
    .optional()
    .meta({
      description: 'Model',
      default: vocabulary['<model_3>'] ?? '<model_3>',
    }),
  assistantLLMUrl: z
    .string()
    .optional()
    .describe(
      'Base URL of a custom model server, used with assistantProvider custom-llm; /chat/completions is appended',
    ),
  assistantSystemPrompt: z.string().optional().describe('System prompt that guides the assistant'),
  assistantTemperature: z.number().optional().meta({ description: 'Model temperature', default: 0 }),
  assistantMaxTokens: z
    .int()
    .optional()
    .meta({ description: 'Maximum tokens that the assistant generates', default: 256 }),
  assistantResponseSplitter: z
    .string()
    .optional()
    .describe('Delimiter that splits the responses into separate lines'),
  config: z
    .strictObject({
      speech: speechSchema(vocabulary).optional().describe('Speech recognition and synthesis'),
    })
    .optional()
    .describe('Holds speech'),
  hints: z.array(z.string()).optional().describe('Words and phrases that help recognition'),
  backgroundSound: z
    .union([z.enum(['enable', 'disable']), z.string().max(1000).startsWith('https://')])
    .optional()
    .meta({
      description:
        'enable, disable, or the https:// URL of an audio file (at most 1000 characters; not with phone vendor <phone_vendor_1>)',
      default: 'disable',
    }),
  backgroundSoundVolume: z
    .number()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Volume of the background sound', default: 50 }),
  ttsCacheEnabled: z.boolean().optional().describe('Enables the cache of synthesised speech'),
  ttsAudioCacheScope: z
    .enum(['assistant', 'team', 'global'])
    .optional()
    .describe('Who shares the cache; global is deprecated and will be removed'),
  assistantBackchannelingEnabled: z.boolean().optional().describe('Backchanneling'),
  dtmfInputEnabled: z.boolean().optional().describe('Whether DTMF input is enabled'),
  maxCallDuration: z.int().min(1).max(120).optional().describe('Maximum call duration in minutes'),
  idleTimeout: z.int().min(5).max(600).optional().meta({
    description: 'Seconds of silence before an idle message is played',
    default: 30,
  }),
  maxIdleMessagesInSequence: z
    .int()
    .min(1)
    .max(5)
    .optional()
    .describe('Maximum repeats of the idle message in sequence'),
  startSpeakingOptions: startSpeakingSchema(vocabulary)
    .optional()
    .describe('When the assistant begins to speak'),
  stopSpeakingOptions: stopSpeakingSchema.optional().describe('When a barge-in stops the assistant'),
  userInterruptionAckPlan: interruptionAckSchema.optional().describe('How an interruption is acknowledged'),
  assistantToolIds: ids.optional().describe('Ids of the tools that the assistant uses'),
  assistantPredefinedTools: predefinedToolsSchema.optional().describe('Switches of the built-in tools'),
  assistantType: z
    .enum(['single_prompt', 'workflow_based'])
    .optional()
    .meta({ description: 'Kind of assistant', default: 'single_prompt' }),
  assistantKnowledgeBaseIds: ids
    .optional()
    .describe('Knowledge base ids; only when assistantPredefinedTools.knowledgeBase is enabled'),
  endCallMessage: z
    .string()
    .optional()
    .describe(
      'What the assistant says when it ends the call; only when assistantPredefinedTools.endCall is enabled',
    ),
  endCallToolDescription: z
    .string()
    .optional()
    .describe('Description of the end-call tool; only when assistantPredefinedTools.endCall is enabled'),
  endCallPhrases: z
    .array(z.string())
    .optional()
    .describe('Phrases that end the call; only when assistantPredefinedTools.endCall is enabled'),
  callForwardData: z
    .union([forwardTarget, z.array(forwardTarget)])
    .optional()
    .describe('Where calls are forwarded to: one target or a list'),
  assistantAnalysis: analysisSchema.optional().describe('Analysis after the call'),
  assistantOverrides: overridesSchema.optional().describe('Overrides'),
  assistantServer: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Destination of webhooks, for example { url, messages }; other keys are sent as they are'),
  assistantOutcome: z
    .array(
      z.strictObject({
        type: z.string().optional().describe('Type of the outcome'),
        field: z.string().optional().describe('Field of the outcome'),
      }),
    )
    .optional()
    .describe('Outcomes of the call'),
  smsConfiguration: z
    .strictObject({
      enabled: z.boolean().optional().describe('Whether SMS is sent'),
      sameAsAssistant: z.boolean().optional().describe('Whether SMS uses the prompt of the assistant'),
      smsPrompt: z.string().optional().describe('Prompt for SMS'),
    })
    .optional()
    .describe('How the assistant composes outbound SMS'),
  persistHistory: z
    .strictObject({
      enabled: z.boolean().optional().describe('Whether users are remembered'),
      call: z.boolean().optional().describe('Remember calls'),
      sms: z.boolean().optional().describe('Remember SMS'),
      retentionPeriod: z.int().optional().describe('How long history is kept'),
    })
    .optional()
    .describe('Remembers users and keeps history for follow-ups'),
})

/** The fields that section 2.1 allows only beside an enabled built-in tool. */
const dependencies = {
  assistantKnowledgeBaseIds: 'knowledgeBase',
  endCallMessage: 'endCall',
  endCallToolDescription: 'endCall',
  endCallPhrases: 'endCall',
} as const

type Loose = Readonly<Record<string, unknown>>

/** Runs beside the field checks, also when some failed, so that all findings are reported at once. */
function checkDependencies(value: unknown, { addIssue }: Pick<z.RefinementCtx<object>, 'addIssue'>): void {
  if (typeof value !== 'object' || value === null) return
  const assistant = value as Loose
  const switches = (assistant.assistantPredefinedTools ?? {}) as Loose
  for (const [field, tool] of Object.entries(dependencies)) {
    if (assistant[field] === undefined || switches[tool] === true) continue
    addIssue({
      code: 'custom',
      input: assistant[field],
      path: [field],
      message: `${field} is allowed only when assistantPredefinedTools.${tool} is true`,
      params: {
        code: 'needs',
        at: 'key',
        hint: `set assistantPredefinedTools.${tool}: true, or remove ${field}`,
      },
    })
  }
  if (assistant.assistantProvider === 'custom-llm' && assistant.assistantLLMUrl === undefined) {
    addIssue({
      code: 'custom',
      input: assistant.assistantProvider,
      path: ['assistantProvider'],
      message: 'assistantProvider custom-llm needs assistantLLMUrl',
      params: { code: 'needs', hint: 'add assistantLLMUrl: the base URL of your model server' },
    })
  }
  if (assistant.ttsAudioCacheScope === 'global') {
    addIssue({
      code: 'custom',
      input: 'global',
      path: ['ttsAudioCacheScope'],
      message: 'ttsAudioCacheScope global is deprecated and will be removed',
      params: { code: 'deprecated', severity: 'warning', hint: 'use assistant or team' },
    })
  }
}
