import { assistantSchema } from './assistant.ts'
import { connectCallSchema, startCallSchema } from './call.ts'
import { faqInsertSchema, faqUpdateSchema } from './faq.ts'
import { toolSchema, toolUpdateSchema } from './tool.ts'

const conversations = '/calls/v1/conversations'
const tools = '/assistants/v1/tools'
const faqTemplate = '/kb/v1/knowledge-bases/{id}/faq-template'

/** The seven endpoints, in the order of interface.md 4; with `{id}` where an id stands. */
export const endpoints = {
  startCall: {
    method: 'POST',
    path: conversations,
    body: startCallSchema,
  },
  connectCall: {
    method: 'POST',
    path: `${conversations}/connect`,
    body: connectCallSchema,
  },
  createAssistant: {
    method: 'POST',
    path: '/assistants/v1/assistants',
    body: assistantSchema,
  },
  createTool: { method: 'POST', path: tools, body: toolSchema },
  updateTool: {
    method: 'PATCH',
    path: `${tools}/{id}`,
    body: toolUpdateSchema,
  },
  insertFaq: { method: 'POST', path: faqTemplate, body: faqInsertSchema },
  updateFaq: { method: 'PUT', path: faqTemplate, body: faqUpdateSchema },
} as const

export type EndpointName = keyof typeof endpoints
