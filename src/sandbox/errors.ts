import { errorsOf } from '../lib/error.ts'

/** What a sandbox can fail for at its start: each code with its details. */
export type SandboxErrors = {
  /** Another process listens there. */
  'port-taken': { readonly host: string; readonly port: number }
  'sandbox-cannot-listen': { readonly host: string; readonly port: number }
  /** Another sandbox has the journal; `pid` where its lock says it. */
  'journal-in-use': { readonly file: string; readonly pid?: number | undefined }
  /** The journal cannot be read, written or locked; `isDiskFull` where that is why. */
  'journal-unusable': { readonly file: string; readonly isDiskFull?: boolean | undefined }
  /** A line is no entry of a journal. */
  'journal-damaged': { readonly file: string; readonly line: number }
}

export const sandboxError = errorsOf<SandboxErrors>()
