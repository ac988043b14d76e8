import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { analysisSchema } from './analysis.ts'
import { withRules } from './assistant-rules.ts'
import {
  looseSchema,
  maxCharacters,
  named,
  optional,
  optionalObject,
  primitives,
  required,
  strictSchema,
  webUrl,
  wholeNumber,
} from './fields.ts'
import { interruptionAckSchema, speechSchema, startSpeakingSchema, stopSpeakingSchema } from './speech.ts'
import { predefinedToolsSchema } from './tool.ts'
import { perVocabulary, wordEnum } from './vocabulary.ts'

export const assistantProviders = [
  '<provider_1>',
  '<provider_2>',
  '<provider_3>',
  '<provider_4>',
  '<provider_5>',
  'custom-llm',
] as const

export const assistantModels = ['<model_1>', '<model_2>', '<model_3>', '<model_4>'] as const

const ids = () => z.array(z.string())

const forwardTarget = strictSchema('ForwardTarget', () => ({
  phoneNumber: optional(primitives.text(), 'Number to forward to'),
  extension: optional(primitives.text(), 'Extension to dial'),
  name: optional(primitives.text(), 'Name of the person or team at the target'),
}))

/** interface.md 2.1: where webhooks go. The interface shows no more of its shape. */
export const assistantServerSchema = lazy(() =>
  looseSchema('AssistantServer', { url: optional(webUrl(), 'URL that receives webhooks') }),
)

/** interface.md 2.1, limits of interface.md 8: the body of Create assistant. Defaults are the service's business. */
export const assistantSchema = perVocabulary(vocabulary =>
  named('Assistant', withRules(assistantFields(vocabulary))),
)

/** interface.md 4.1: an assistant inside a call, the same fields; nothing says that it needs a name. */
export const inlineAssistantSchema = perVocabulary(vocabulary =>
  named('InlineAssistant', withRules(inlineAssistantFields(vocabulary))),
)
/** The fields of an assistant, each by itself. */
export const inlineAssistantFields = perVocabulary(vocabulary => ({
  ...assistantFields(vocabulary),
  name: optional(primitives.text(), 'Name of the assistant'),
}))

const assistantFields = perVocabulary(vocabulary => ({
  name: required(z.string(), 'Name of the assistant'),
  welcomeMessage: optional(primitives.text(), 'Greeting of the assistant', { default: 'hi' }),
  welcomeMessageMode: optional(z.enum(welcomeMessageModes), 'Speaker of the first message', {
    default: 'automatic',
  }),
  welcomeMessageInterruptionsEnabled: optional(
    primitives.flag(),
    'Whether the user may interrupt the greeting',
    {
      default: false,
    },
  ),
  assistantProvider: optional(wordEnum(vocabulary, assistantProviders), 'Provider of the model', {
    default: vocabulary['<provider_2>'] ?? '<provider_2>',
  }),
  assistantModel: optional(wordEnum(vocabulary, assistantModels), 'Model that generates replies', {
    default: vocabulary['<model_3>'] ?? '<model_3>',
  }),
  assistantLLMUrl: optional(
    webUrl(),
    'Base URL of your own model server, for assistantProvider custom-llm; requests go to /chat/completions below it',
  ),
  assistantSystemPrompt: optional(primitives.text(), 'Instructions to the model'),
  assistantTemperature: optional(primitives.number(), 'Temperature of the model', { default: 0 }),
  assistantMaxTokens: optional(primitives.integer(), 'Maximum length of a reply, in tokens', {
    default: 256,
  }),
  assistantResponseSplitter: optional(primitives.text(), 'Text that separates a reply into messages'),
  config: optionalObject('Settings of speech', () => ({
    speech: optional(speechSchema(vocabulary), 'Speech recognition and synthesis'),
  })),
  hints: optional(z.array(z.string()), 'Words and phrases of callers, to recognize them better'),
  backgroundSound: optional(
    z.union([z.enum(['enable', 'disable']), z.string().check(maxCharacters(1000), z.startsWith('https://'))]),
    'Sound behind the conversation: enable, disable, or the https:// URL of an audio file (at most 1000 characters; not with phone vendor <phone_vendor_1>)',
    { default: 'disable' },
  ),
  backgroundSoundVolume: optional(
    z.number().check(z.minimum(1), z.maximum(100)),
    'Volume of the background sound',
    { default: 50 },
  ),
  ttsCacheEnabled: optional(primitives.flag(), 'Whether synthesized speech is cached'),
  ttsAudioCacheScope: optional(
    z.enum(['assistant', 'team', 'global']),
    'Scope of the cache; global is deprecated and will be removed',
    { deprecatedValues: ['global'] },
  ),
  assistantBackchannelingEnabled: optional(
    primitives.flag(),
    'Whether the assistant makes short acknowledgements while it listens (backchanneling)',
  ),
  dtmfInputEnabled: optional(
    primitives.flag(),
    'Whether the assistant receives keys that the user presses (DTMF)',
  ),
  maxCallDuration: optional(wholeNumber(1, 120), 'Minutes after which the call ends'),
  idleTimeout: optional(wholeNumber(5, 600), 'Seconds of silence before an idle message is played', {
    default: 30,
  }),
  maxIdleMessagesInSequence: optional(wholeNumber(1, 5), 'Maximum number of consecutive idle messages'),
  startSpeakingOptions: optional(startSpeakingSchema(vocabulary), 'When the assistant begins to speak'),
  stopSpeakingOptions: optional(stopSpeakingSchema(), 'When a barge-in stops the assistant'),
  userInterruptionAckPlan: optional(interruptionAckSchema(), 'Acknowledgement of an interruption'),
  assistantToolIds: optional(ids(), 'Ids of the function tools that the assistant may call'),
  assistantPredefinedTools: optional(predefinedToolsSchema(), 'Switches of the built-in tools'),
  assistantType: optional(z.enum(['single_prompt', 'workflow_based']), 'Kind of assistant', {
    default: 'single_prompt',
  }),
  assistantKnowledgeBaseIds: optional(
    ids(),
    'Knowledge base ids; only when assistantPredefinedTools.knowledgeBase is enabled',
  ),
  endCallMessage: optional(
    primitives.text(),
    'Last words of the assistant before it ends the call; only when assistantPredefinedTools.endCall is enabled',
  ),
  endCallToolDescription: optional(
    primitives.text(),
    'When the model should end the call; only when assistantPredefinedTools.endCall is enabled',
  ),
  endCallPhrases: optional(
    z.array(z.string()),
    'Phrases of the caller that end the call; only when assistantPredefinedTools.endCall is enabled',
  ),
  callForwardData: optional(
    z.union([forwardTarget(), z.array(forwardTarget())]),
    'Forwarding targets: one or a list',
  ),
  assistantAnalysis: optional(analysisSchema(), 'Analysis after the call'),
  assistantOverrides: optional(
    overridesSchema(),
    'Values that replace fields of this assistant in its calls',
  ),
  assistantServer: optional(
    assistantServerSchema(),
    'Destination of webhooks, for example { url, messages }; other keys are sent as they are',
  ),
  assistantOutcome: optional(
    z.array(
      z.strictObject({
        type: optional(primitives.text(), 'Type of the outcome'),
        field: optional(primitives.text(), 'Field of the outcome'),
      }),
    ),
    'Outcomes of the call',
  ),
  smsConfiguration: optionalObject('Settings of text messages (SMS)', () => ({
    enabled: optional(primitives.flag(), 'Whether SMS is sent'),
    sameAsAssistant: optional(primitives.flag(), 'Whether SMS uses the prompt of the assistant'),
    smsPrompt: optional(primitives.text(), 'Prompt for SMS'),
  })),
  persistHistory: optionalObject('Memory of earlier calls and messages with the same user', () => ({
    enabled: optional(primitives.flag(), 'Whether users are remembered'),
    call: optional(primitives.flag(), 'Remember calls'),
    sms: optional(primitives.flag(), 'Remember SMS'),
    retentionPeriod: optional(primitives.integer(), 'Number of days that history is kept'),
  })),
}))

export const welcomeMessageModes = [
  'assistant-speaks-first',
  'assistant-waits-for-user',
  'automatic',
] as const

/** interface.md 2.6: used inside an assistant and on call creation. */
export const overridesSchema = strictSchema('AssistantOverrides', () => ({
  welcomeMessage: optional(primitives.text(), 'Greeting of the assistant'),
  welcomeMessageMode: optional(z.enum(welcomeMessageModes), 'Speaker of the first message'),
  welcomeMessageInterruptionsEnabled: optional(
    primitives.flag(),
    'Whether the user may interrupt the greeting',
  ),
  recordingEnabled: optional(primitives.flag(), 'Whether the call is recorded'),
  recordingPath: optional(primitives.text(), 'Path of the recording'),
  dynamicVariables: optional(
    z.record(z.string(), z.string()),
    'Variable name → text that replaces {{name}} in prompt and messages',
  ),
}))

export type Overrides = Infer<typeof overridesSchema>
