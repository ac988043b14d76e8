/** What can be triggered: one event of interface.md section 6, or those of a whole call. */
export const triggers = ['status-update', 'conversation-update', 'call'] as const

export type Trigger = (typeof triggers)[number]
