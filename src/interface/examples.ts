/** Values that the examples of the interface share. */

export const at = '2026-01-12T09:30:00.000Z'
export const callId = 'CC-7d3f2c1e-58a4-4c0e-9a53-2f1d8f6f0b11'
export const recordFields = { teamId: 'team-1', createdAt: at, updatedAt: at }

export const assistant = {
  name: 'Front desk',
  welcomeMessage: 'Hello {{name}}, how can I help?',
  assistantSystemPrompt: 'You answer questions about opening hours.',
  assistantPredefinedTools: { knowledgeBase: true, endCall: true },
  assistantKnowledgeBaseIds: ['desk'],
  endCallPhrases: ['goodbye'],
  assistantServer: { url: 'https://example.com/calls' },
}

export const customer = { number: '+12025550123', name: 'Ada' }
