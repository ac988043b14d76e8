import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { withOptimizer } from './skip-optimizer.ts'

/** Node's wrapper of a CommonJS module. */
const [before, after] = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'] as const

interface Loaded {
  readonly script: Script
  /** False if V8 compiled it in this process. */
  readonly wasCompiled: boolean
}

/** Opens the code of a command by its path, `call start`; an empty path for what all commands load. */
export type OpenCode = (path: string) => void

/** Compiled code of the chunks that a command loads. */
interface Pack {
  readonly file: string
  readonly compiled: ReadonlyMap<string, Buffer>
  readonly loaded: Map<string, Loaded>
}

/**
 * Makes dist/main.js load its chunks with the code that V8 compiled in an earlier process, and saves that code at exit. Returns a function
 * that opens the code of a command; chunks that are loaded from then on belong to it. Node's own cache has a file for each chunk, finds
 * each one anew, does not exist before Node 22, and is of no use after `skipOptimizer`.
 * @param dist folder of main.js
 * @param folder folder of the code, which must belong to this user: a process that can write there decides what runs
 */
export function loadCompiledCode(dist: string, folder: string): OpenCode {
  const main = join(dist, 'main.js')
  const require = createRequire(main)
  const loaded = new Map<string, { exports: unknown }>()
  const packs: Pack[] = []
  const load = (id: string): unknown => {
    if (!id.startsWith('./')) return require(id)
    const name = id.slice(id.lastIndexOf('/') + 1)
    const filename = join(dist, 'chunks', name)
    const known = loaded.get(name) ?? require.cache[filename]
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const run = compile(name, filename, packs)
    run.call(module.exports, module.exports, load, module, filename, join(dist, 'chunks'))
    return module.exports
  }
  Object.assign(require.cache[main] ?? {}, { require: load })
  process.once('exit', () => {
    for (const pack of packs) if (![...pack.loaded.values()].every(each => each.wasCompiled)) save(pack, dist)
  })
  return path =>
    void packs.unshift(openPack(join(folder, `${path.replaceAll(' ', '.') || 'callwright'}.code`)))
}

type Wrapper = (...args: readonly unknown[]) => void

function compile(name: string, filename: string, packs: readonly Pack[]): Wrapper {
  const pack = packs.find(({ compiled }) => compiled.has(name)) ?? packs[0]
  const cachedData = pack?.compiled.get(name)
  // The build writes ASCII.
  const text = `${before}${readFileSync(filename, 'latin1')}${after}`
  const script = withOptimizer(
    () =>
      new Script(text, {
        filename,
        columnOffset: -before.length,
        cachedData,
      }),
  )
  pack?.loaded.set(name, { script, wasCompiled: script.cachedDataRejected === false })
  return script.runInThisContext() as Wrapper
}

/** A file is a line with the hash of the rest, a line with the names and sizes, and the code. */
function openPack(file: string): Pack {
  const pack = { file, compiled: new Map<string, Buffer>(), loaded: new Map<string, Loaded>() }
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    return pack
  }
  const hashEnd = bytes.indexOf('\n')
  const rest = bytes.subarray(hashEnd + 1)
  // V8 does not survive damaged code.
  if (hashEnd === -1 || bytes.toString('latin1', 0, hashEnd) !== hash('sha256', rest)) return pack
  const indexEnd = rest.indexOf('\n')
  let at = indexEnd + 1
  for (const [name, size] of JSON.parse(rest.toString('latin1', 0, indexEnd)) as [string, number][]) {
    pack.compiled.set(name, rest.subarray(at, at + size))
    at += size
  }
  return pack
}

/** Writes the code of a pack again, with the functions that this process compiled; without chunks of an earlier build. */
function save({ file, compiled, loaded }: Pack, dist: string): void {
  try {
    const code = new Map([...compiled].filter(([name]) => existsSync(join(dist, 'chunks', name))))
    withOptimizer(() => {
      for (const [name, { script }] of loaded) code.set(name, script.createCachedData())
    })
    const index = JSON.stringify([...code].map(([name, { length }]) => [name, length]))
    const rest = Buffer.concat([Buffer.from(`${index}\n`), ...code.values()])
    // Two processes that write at once leave what neither hash belongs to, which the next start replaces.
    writeFileSync(file, Buffer.concat([Buffer.from(`${hash('sha256', rest)}\n`), rest]), { mode: 0o600 })
  } catch {
    // A full disk, or a folder that was removed: the next start compiles again.
  }
}
