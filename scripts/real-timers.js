// Fake timers of a test runner replace the globals. Modules of the bundle take their timers from lib/real-timers.ts instead, which
// keeps those of the process as they were when callyard was imported: undici and others look the global up at each use.
import { join } from 'node:path'
import { root } from './run-bundled.js'

const source = join(root, 'src/lib/real-timers.ts')
const names = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
]
const isModule = /^(?:import|export)\b/m
/** Modules where fake timers would hang a sandbox or a receiver; the build fails when one of them is not found. */
const expected = [
  'undici/lib/dispatcher/client-h1.js',
  'undici/lib/util/timers.js',
  '@hono/node-server/dist/index.mjs',
]

/** @type {(name: string, code: string) => boolean} */
const isUsed = (name, code) => new RegExp(`(?<![.\\w$'"])${name}\\b(?!['"])`).test(code)
/** @type {(name: string, code: string) => boolean} */
const isDeclared = (name, code) =>
  new RegExp(`^(?:import|const|let|var) \\{[^}]*\\b${name}\\b`, 'm').test(code)

export function realTimers() {
  const rewritten = new Set()
  return {
    name: 'real-timers',
    /** @type {(code: string, id: string) => string | null} */
    transform(code, id) {
      if (id === source || !/\.m?[jt]s$/.test(id)) return null
      const used = names.filter(name => isUsed(name, code) && !isDeclared(name, code))
      if (used.length === 0) return null
      rewritten.add(id.replaceAll('\\', '/'))
      const from = JSON.stringify(source)
      const bindings = `{ ${used.join(', ')} }`
      return isModule.test(code)
        ? `import ${bindings} from ${from};${code}`
        : `const ${bindings} = require(${from});${code}`
    },
    /** @type {(error?: Error) => void} */
    buildEnd(error) {
      if (error !== undefined) return
      for (const file of expected)
        if (![...rewritten].some(id => id.endsWith(file)))
          throw new Error(`real-timers: ${file} uses no timers`)
    },
  }
}
