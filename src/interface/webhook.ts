import * as z from 'zod/mini'

/** interface.md 2.9: one message of a conversation, identified across updates by its messageId within the call. */
export const conversationMessageSchema = z.looseObject({
  messageId: z.string(),
  role: z.string(),
  text: z.string(),
  timestamp: z.optional(z.string()),
})
export type ConversationMessage = z.infer<typeof conversationMessageSchema>

/** interface.md 2.9: the call as webhooks carry it. */
export const webhookCallSchema = z.looseObject({ id: z.string(), status: z.nullish(z.string()) })
export type WebhookCall = z.infer<typeof webhookCallSchema>

/** interface.md 6: the envelope. Types and fields that we do not know are accepted and passed through. */
export const webhookEventSchema = z.looseObject({
  message: z.looseObject({
    type: z.string(),
    call: z.nullish(webhookCallSchema),
    assistant: z.nullish(z.looseObject({})),
    customer: z.nullish(z.looseObject({ number: z.nullish(z.string()), name: z.nullish(z.string()) })),
    analysis: z.nullish(z.looseObject({})),
    messages: z.nullish(z.array(z.unknown())),
  }),
})
export type WebhookEvent = z.infer<typeof webhookEventSchema>
