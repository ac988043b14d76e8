import { defineErrors } from '../../lib/error.ts'

export type ExecErrors = {
  'exec-not-found': { readonly program: string }
}

export const execError = defineErrors<ExecErrors>()
