import type { projectSchema } from '../files/formats/project.ts'
import type { assistantSchema, inlineAssistantSchema, overridesSchema } from '../interface/assistant.ts'
import type { connectCallSchema, startCallSchema } from '../interface/call.ts'
import type { knowledgeBaseSchema } from '../interface/faq.ts'
import type { toolSchema, toolUpdateSchema } from '../interface/tool.ts'
import type {
  ConversationUpdate as ConversationUpdateBody,
  StatusUpdate as StatusUpdateBody,
} from '../interface/webhooks.ts'
import type { Infer } from '../lib/lazy.ts'
import type {
  jsonSchemaOptionsSchema,
  nextOptionsSchema,
  receiveOptionsSchema,
  validateOptionsSchema,
  webhookFieldsSchema,
} from './option-schemas.ts'

export type { KindName } from '../interface/words.ts'

/**
 * The resources and webhook events of the interface, and options. The published declarations have them written out, without zod
 * (scripts/resource-types.ts); a test holds both to be the same.
 */

export type Assistant = Infer<typeof assistantSchema>
export type InlineAssistant = Infer<typeof inlineAssistantSchema>
export type AssistantOverrides = Infer<typeof overridesSchema>
export type Tool = Infer<typeof toolSchema>
export type ToolUpdate = Infer<typeof toolUpdateSchema>
export type KnowledgeBase = Infer<typeof knowledgeBaseSchema>
export type StartCall = Infer<typeof startCallSchema>
export type ConnectCall = Infer<typeof connectCallSchema>
export type Project = Infer<typeof projectSchema>
export type StatusUpdate = StatusUpdateBody
export type ConversationUpdate = ConversationUpdateBody
export type WebhookEvent = StatusUpdate | ConversationUpdate
export type ValidateOptions = Readonly<Infer<typeof validateOptionsSchema>>
export type JsonSchemaOptions = Readonly<Infer<typeof jsonSchemaOptionsSchema>>
export type NextOptions = Readonly<Infer<typeof nextOptionsSchema>>
export type ReceiveOptions = Readonly<Infer<typeof receiveOptionsSchema>>
export type WebhookFields = Readonly<Infer<typeof webhookFieldsSchema>>
