/** Last known state of an event on its way to a target. */
export type Delivery =
  /** Without a reason before the first attempt. */
  | { readonly state: 'waiting'; readonly reason?: string }
  /** It carried nothing new, and only new events go out. */
  | { readonly state: 'skipped' }
  /** Too many bytes are waiting. */
  | { readonly state: 'dropped' }
  | ({
      readonly state: 'sent'
      /** 1-based. */
      readonly attempt: number
      readonly again: boolean
      readonly milliseconds: number
    } & ({ readonly status: number } | { readonly reason: string }))

/** Called with the index of a target whenever the state of an event's delivery to it changes. */
export type OnDelivery = (target: number, delivery: Delivery) => void
