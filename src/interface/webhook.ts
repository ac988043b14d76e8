import * as z from 'zod'

/** interface.md 2.9: one message of a conversation, identified across updates by its messageId within the call. */
export const conversationMessageSchema = z.looseObject({
  messageId: z.string(),
  role: z.string(),
  text: z.string(),
  timestamp: z.string().optional(),
})
export type ConversationMessage = z.infer<typeof conversationMessageSchema>

/** interface.md 2.9: the call as webhooks carry it. */
export const webhookCallSchema = z.looseObject({ id: z.string(), status: z.string().nullish() })
export type WebhookCall = z.infer<typeof webhookCallSchema>

/** interface.md 6: the envelope. Types and fields that we do not know are accepted and passed through. */
export const webhookEventSchema = z.looseObject({
  message: z.looseObject({
    type: z.string(),
    call: webhookCallSchema.nullish(),
    assistant: z.looseObject({}).nullish(),
    customer: z.looseObject({ number: z.string().nullish(), name: z.string().nullish() }).nullish(),
    analysis: z.looseObject({}).nullish(),
    messages: z.array(z.unknown()).nullish(),
  }),
})
export type WebhookEvent = z.infer<typeof webhookEventSchema>
