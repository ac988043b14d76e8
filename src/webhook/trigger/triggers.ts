/** What can be triggered: one event of interface.md 6, those of a whole call, or shapes that it does not show. */
export const triggers = ['status-update', 'conversation-update', 'call', 'odd'] as const

export type Trigger = (typeof triggers)[number]
