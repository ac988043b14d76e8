import type { Environment } from './environment.ts'

/** True on a CI server. Some servers and `.env` files switch it off with `CI=false`. */
export function isCi({ CI = '' }: Environment): boolean {
  return !['', '0', 'false'].includes(CI.toLowerCase())
}
