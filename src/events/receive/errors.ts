import { defineErrors } from '../../lib/error.ts'

export type ReceiverErrors = {
  'port-in-use': { readonly host: string; readonly port: number }
  'cannot-listen': {
    readonly host: string
    readonly port: number
    readonly reason: string
    /** The port is for privileged programs. */
    readonly isPrivileged: boolean
  }
}

export const receiverError = defineErrors<ReceiverErrors>()
