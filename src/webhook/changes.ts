/** A message seen for the first time. `messageId` is null where the service sent none. */
export interface MessageChange {
  readonly kind: 'message'
  readonly callId: string | null
  readonly messageId: string | null
  readonly role: string
  readonly text: string
  readonly timestamp: string | undefined
}

/** A known message whose text changed. `before` is undefined when the old text is no longer kept. */
export interface EditChange {
  readonly kind: 'edit'
  readonly callId: string | null
  readonly messageId: string
  readonly role: string
  readonly text: string
  readonly timestamp: string | undefined
  readonly before: string | undefined
}

/** A status not yet shown for this call, or an analysis that came with a status already shown. */
export interface StatusChange {
  readonly kind: 'status'
  readonly callId: string | null
  readonly status: string
  readonly [fact: string]: unknown
  readonly analysis?: Readonly<Record<string, unknown>>
}

/** What we have no reading for: another type, or one of the two types without what it should carry. */
export interface EventChange {
  readonly kind: 'event'
  readonly type: string
  readonly callId: string | null
  readonly event: unknown
}

/** An item of `messages` that is not a message. */
export interface MalformedChange {
  readonly kind: 'malformed'
  readonly callId: string | null
  readonly item: unknown
}

export type Change = MessageChange | EditChange | StatusChange | EventChange | MalformedChange
