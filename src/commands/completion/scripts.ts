import bash from './bash.txt'
import type { Shell } from './completion.ts'
import fish from './fish.txt'
import powershell from './powershell.txt'
import zsh from './zsh.txt'

/** What each shell reads once: it asks `callwright __complete` at each Tab, and knows no command itself. */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }
