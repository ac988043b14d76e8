import { defineErrors } from '../../lib/error.ts'

export type TunnelErrors = {
  'no-tunnel-program': { readonly known: readonly string[] }
  /** Nobody said what its public URL looks like. */
  'tunnel-unknown': { readonly program: string; readonly known: readonly string[] }
  'tunnel-pattern': { readonly pattern: string; readonly reason: string }
  'tunnel-not-found': { readonly program: string; readonly known: readonly string[] }
  'tunnel-not-started': { readonly program: string; readonly reason: string }
  'tunnel-without-url': {
    readonly program: string
    readonly seconds: number
    readonly printed: readonly string[]
  }
  'tunnel-ends': { readonly program: string; readonly reason: string; readonly printed: readonly string[] }
  'tunnel-closed': { readonly program: string }
}

export const tunnelError = defineErrors<TunnelErrors>()
