import type { AnalyzedCall } from '../../../src/sandbox/analysis/by-rule.ts'

type State = Omit<AnalyzedCall, 'assistantName' | 'metadata' | 'toolCalls'>

/** A call of nine seconds with these lines of the caller; three of four got a reply. */
export const said = (...lines: string[]): State => ({
  messages: lines.map((text, index) => ({ messageId: String(index), role: 'user', text, at: 1000 * index })),
  startedAt: 0,
  endedAt: 9400,
  endedBy: 'user',
  asked: 4,
  answered: 3,
})

export const analysedCall = (
  state: State,
  metadata?: Record<string, unknown>,
  toolCalls: AnalyzedCall['toolCalls'] = [],
): AnalyzedCall => ({ ...state, assistantName: 'Desk', metadata, toolCalls })
