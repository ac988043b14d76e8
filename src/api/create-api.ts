import type { AssistantRecord } from '../interface/assistant.ts'
import type { CallRecord, StartedCall } from '../interface/call.ts'
import type { FaqAnswer, FaqEntry, NewFaqEntry } from '../interface/faq.ts'
import type { ToolRecord } from '../interface/tool.ts'

/** Any request the interface does not show, for `callwright api`. */
export interface RawRequest {
  readonly method: string
  /** Begins with a slash; appended to the base URL. */
  readonly path: string
  readonly body?: unknown
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Body = Readonly<Record<string, unknown>>

/** The seven endpoints of interface.md section 4, one function each, and a raw one. Bodies are already in wire words. */
export interface Api {
  startCall(body: Body): Promise<StartedCall>
  connectCall(body: Body): Promise<CallRecord>
  createAssistant(body: Body): Promise<AssistantRecord>
  createTool(body: Body): Promise<ToolRecord>
  updateTool(id: string, body: Body): Promise<ToolRecord>
  insertFaq(knowledgeBaseId: string, faq: readonly NewFaqEntry[]): Promise<FaqAnswer>
  updateFaq(knowledgeBaseId: string, faq: readonly FaqEntry[]): Promise<FaqAnswer>
  request(request: RawRequest): Promise<RawAnswer>
  /** Closes kept-alive connections so that the process can end. */
  close(): Promise<void>
}
