import { fileURLToPath } from 'node:url'
import { quote } from 'shell-quote'

const script = fileURLToPath(new URL('tunnel-program.js', import.meta.url))

/** A command for --tunnel that starts test/helpers/tunnel-program.js, which names its flags. */
export function tunnelCommand(...flags: readonly string[]): string {
  return `${quote([process.execPath, script, ...flags])} --port {port}`
}

/** The flags that find its own URL in its output. */
export const tunnelUrlFlags = ['--tunnel-url', 'Forwarding (\\S+)'] as const
