import type * as z from 'zod/mini'
import type { projectSchema } from '../files/formats/project.ts'
import type { assistantSchema, inlineAssistantSchema, overridesSchema } from '../interface/assistant.ts'
import type { connectCallSchema, startCallSchema } from '../interface/call.ts'
import type { knowledgeBaseSchema } from '../interface/faq.ts'
import type {
  ConversationUpdate as ConversationUpdateBody,
  StatusUpdate as StatusUpdateBody,
} from '../interface/responses.ts'
import type { toolSchema, toolUpdateSchema } from '../interface/tool.ts'
import type { receiveOptionsSchema, webhookFieldsSchema } from './option-schemas.ts'

export type { KindName } from '../interface/words.ts'

/**
 * The resources and webhook events of the interface, and options. The published declarations have them written out, without zod
 * (scripts/resource-types.ts); a test holds both to be the same.
 */

export type Assistant = z.infer<ReturnType<typeof assistantSchema>>
export type InlineAssistant = z.infer<ReturnType<typeof inlineAssistantSchema>>
export type AssistantOverrides = z.infer<ReturnType<typeof overridesSchema>>
export type Tool = z.infer<ReturnType<typeof toolSchema>>
export type ToolUpdate = z.infer<ReturnType<typeof toolUpdateSchema>>
export type KnowledgeBase = z.infer<ReturnType<typeof knowledgeBaseSchema>>
export type StartCall = z.infer<ReturnType<typeof startCallSchema>>
export type ConnectCall = z.infer<ReturnType<typeof connectCallSchema>>
export type Project = z.infer<ReturnType<typeof projectSchema>>
export type StatusUpdate = StatusUpdateBody
export type ConversationUpdate = ConversationUpdateBody
export type WebhookEvent = StatusUpdate | ConversationUpdate
export type ReceiveOptions = Readonly<z.infer<ReturnType<typeof receiveOptionsSchema>>>
export type WebhookFields = Readonly<z.infer<ReturnType<typeof webhookFieldsSchema>>>
