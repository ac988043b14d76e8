/**
 * What the sandbox's control API tells the page, as far as the page shows it (docs/sandbox.md). Strings are as clients sent
 * them: hostile.
 */

/** A call, as its control URL shows it. */
export interface CallAsHeld {
  readonly id: string
  readonly teamId: string
  readonly assistantId?: string
  readonly direction: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly startAt?: string
  readonly endAt?: string
  readonly customer: { readonly number: string; readonly name?: string }
  readonly phoneVendorDetails: { readonly from: string; readonly to: string }
  readonly status: string
  readonly phoneCallStatus?: string
  readonly callEndTriggerBy?: string
  readonly analysis?: Readonly<Record<string, unknown>>
  readonly messages?: readonly CallMessage[]
  /** A live caller has the floor. */
  readonly listening?: boolean
  readonly toolCalls?: readonly ToolResult[]
  readonly failures?: readonly { readonly part: string; readonly message: string }[]
}

export interface PageCallList {
  readonly calls: readonly CallAsHeld[]
}

interface CallMessage {
  readonly messageId: string
  readonly role: string
  readonly text: string
  readonly timestamp: string
  readonly interrupted?: boolean
}

interface ToolRun {
  readonly id: string
  readonly name: string
}

interface ToolResult extends ToolRun {
  readonly failure?: string
  readonly simulated?: boolean
}

/** What happens in a call, as it happens. */
export type Observation = { readonly callId: string } & (
  | { readonly kind: 'status'; readonly status: string; readonly record: CallAsHeld }
  | { readonly kind: 'draft'; readonly text: string }
  | ({ readonly kind: 'message' } & CallMessage)
  | { readonly kind: 'answered' }
  | { readonly kind: 'tool-started'; readonly run: ToolRun }
  | { readonly kind: 'tool-ended'; readonly result: ToolResult }
  | { readonly kind: 'failure'; readonly part: string; readonly message: string }
  | { readonly kind: 'listening' }
)

/** A request to the seven endpoints, or to a call's control URL. */
export interface PageRequest {
  readonly at: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** Missing as long as there is no answer. */
  readonly status?: number
  readonly fault?: string
  readonly scope?: string
  readonly call?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly answer?: unknown
  /** Body or answer were too large to be kept. */
  readonly cut?: boolean
}

export type PageRequestSummary = Omit<PageRequest, 'headers' | 'body' | 'answer' | 'cut'>

export interface RequestList {
  readonly requests: readonly PageRequest[]
}

/** What happens in a world, by the name of its event. */
export interface WorldEvents {
  readonly call: { readonly observation: Observation }
  readonly request: { readonly request: PageRequestSummary }
}

export interface PageClock {
  /** ISO 8601. */
  readonly now: string
  readonly pace: number
  readonly frozen: boolean
}

export interface PageFault {
  readonly id: string
  readonly rule: Readonly<Record<string, string | number>>
  /** How often it struck. */
  readonly struck: number
}

export interface FaultList {
  readonly faults: readonly PageFault[]
}

type StoredRecord = Readonly<Record<string, unknown>> & { readonly _id: string }

export interface PageFaqEntry {
  readonly id: string
  readonly question: string
  readonly answer: string
}

/** What the service holds. */
export interface PageRecords {
  readonly assistants: readonly StoredRecord[]
  readonly tools: readonly StoredRecord[]
  readonly knowledgeBases: readonly { readonly id: string; readonly faq: readonly PageFaqEntry[] }[]
}
