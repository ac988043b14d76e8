/** Last known state of an event on its way to a target. */
export type Delivery =
  /** Undefined reason: its turn has not come. */
  | { readonly state: 'waiting'; readonly reason?: string }
  /** It carried nothing new, and only new events go out. */
  | { readonly state: 'skipped' }
  /** Too much waits already. */
  | { readonly state: 'dropped' }
  | ({
      readonly state: 'sent'
      /** From 1. */
      readonly attempt: number
      /** The same event is sent again. */
      readonly again: boolean
      readonly milliseconds: number
    } & ({ readonly status: number } | { readonly reason: string }))

/** Called with the index of a target whenever the state of an event's delivery to it changes. */
export type OnDelivery = (target: number, delivery: Delivery) => void
