import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { systemClock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import { CallyardError, getErrorCode } from '../error.ts'
import { cacheFolder } from '../fs/user-folders.ts'
import { makeOwnCache, openCompileCache } from './compile-cache.ts'
import { withOptimizer } from './skip-optimizer.ts'

/** Node's wrapper of a CommonJS module. */
const [before, after] = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'] as const

interface Loaded {
  readonly script: Script
  readonly changedAt: number
  /** False if V8 compiled it in this process. */
  readonly wasCompiled: boolean
}

/** Opens the code of a command by its path, `call start`; `callyard` for what all commands load. */
export type OpenCode = (path: string) => void

/** Compiled code of the chunks that a command loads. */
interface Compiled {
  readonly code: Buffer
  /** Time at which the chunk was last changed: V8 compares only the length of the source. */
  readonly changedAt: number
}

interface Pack {
  readonly file: string
  readonly compiled: ReadonlyMap<string, Compiled>
  readonly loaded: Map<string, Loaded>
}

/**
 * Makes a built entry load its chunks with the code that V8 compiled in an earlier process, and saves that code at exit. Node's own cache
 * has none of the functions that are called after a chunk is compiled, has a file for each chunk, and does not exist before Node 22
 * (docs/decisions/0005-one-bundle.md). Does nothing where the cache folder of the user cannot be written to, and where anything but Node
 * loaded the entry.
 * @param entry file in dist/, or in a folder of it
 * @param version of callyard
 */
export function openCompiledCode(entry: string, version: string, env: Environment): OpenCode {
  const none = () => undefined
  const { versions } = process
  const { cache } = createRequire(entry)
  const parent = env.NODE_DISABLE_COMPILE_CACHE === undefined ? cacheFolder(env, process.platform) : undefined
  if (parent === undefined || cache[entry] === undefined || versions.bun !== undefined) return none
  try {
    const own = makeOwnCache(parent)
    const options = {
      versions: `${version}-node-${versions.node}`,
      now: systemClock.now(),
      uid: process.geteuid?.(),
    }
    return loadCompiledCode(entry, openCompileCache(own, options))
  } catch {
    return none
  }
}

function loadCompiledCode(entry: string, folder: string): OpenCode {
  const require = createRequire(entry)
  const isNested = basename(dirname(entry)) === 'library'
  const chunks = join(dirname(entry), isNested ? '../chunks' : 'chunks')
  const packs: Pack[] = []
  const load = (id: string): unknown => {
    if (!id.startsWith('.')) return require(id)
    const name = basename(id)
    const filename = join(chunks, name)
    const cachedModule = require.cache[filename]
    if (cachedModule !== undefined) return cachedModule.exports
    const module = new Module(filename)
    // Another entry that requires the chunk gets the same module.
    require.cache[filename] = module
    try {
      const run = compile(name, filename, packs)
      run.call(module.exports, module.exports, load, module, filename, chunks)
    } catch (error) {
      delete require.cache[filename]
      throw error
    }
    module.loaded = true
    return module.exports
  }
  Object.assign(require.cache[entry] ?? {}, { require: load })
  process.once('exit', () => {
    for (const pack of packs)
      if (![...pack.loaded.values()].every(loadedChunk => loadedChunk.wasCompiled)) save(pack, chunks)
  })
  return path => void packs.unshift(openPack(join(folder, `${path.replaceAll(' ', '.')}.code`)))
}

type Wrapper = (...args: readonly unknown[]) => void

function compile(name: string, filename: string, packs: readonly Pack[]): Wrapper {
  const pack = packs.find(({ compiled }) => compiled.has(name)) ?? packs[0]
  const { content, changedAt } = readChunk(filename)
  const cacheEntry = pack?.compiled.get(name)
  const cachedData = cacheEntry?.changedAt === changedAt ? cacheEntry.code : undefined
  const text = `${before}${content}${after}`
  const script = withOptimizer(
    () =>
      new Script(text, {
        filename,
        columnOffset: -before.length,
        cachedData,
      }),
  )
  pack?.loaded.set(name, { script, changedAt, wasCompiled: script.cachedDataRejected === false })
  return script.runInThisContext() as Wrapper
}

/** @throws CallyardError `conflict` if another build has replaced this one */
function readChunk(filename: string): { readonly content: string; readonly changedAt: number } {
  try {
    // Not by a descriptor: Yarn's Plug'n'Play has no status for one. The build writes ASCII.
    return { changedAt: statSync(filename).mtimeMs, content: readFileSync(filename, 'latin1') }
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
    throw new CallyardError('conflict', 'callyard was upgraded or removed while it was running', {
      hint: 'start it again',
      cause: error,
    })
  }
}

/** A file is a line with the checksum of the rest, a line with names, sizes and times of the chunks, and the code. */
function openPack(file: string): Pack {
  const pack = { file, compiled: new Map<string, Compiled>(), loaded: new Map<string, Loaded>() }
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    return pack
  }
  const checksumEnd = bytes.indexOf('\n')
  const rest = bytes.subarray(checksumEnd + 1)
  // V8 does not survive damaged code. Only the user can write it, so a checksum is enough, and starts do not load node:crypto for it.
  if (checksumEnd === -1 || bytes.toString('latin1', 0, checksumEnd) !== checksumOf(rest)) return pack
  const indexEnd = rest.indexOf('\n')
  let at = indexEnd + 1
  const index = JSON.parse(rest.toString('latin1', 0, indexEnd)) as [string, number, number][]
  for (const [name, size, changedAt] of index) {
    pack.compiled.set(name, { code: rest.subarray(at, at + size), changedAt })
    at += size
  }
  return pack
}

/** Writes the code of a pack again, with the functions that this process compiled; without chunks of an earlier build. */
function save({ file, compiled, loaded }: Pack, chunks: string): void {
  try {
    const code = new Map([...compiled].filter(([name]) => existsSync(join(chunks, name))))
    withOptimizer(() => {
      for (const [name, { script, changedAt }] of loaded)
        code.set(name, { code: script.createCachedData(), changedAt })
    })
    const index = JSON.stringify(
      [...code].map(([name, { code, changedAt }]) => [name, code.length, changedAt]),
    )
    const rest = Buffer.concat([Buffer.from(`${index}\n`), ...[...code.values()].map(({ code }) => code)])
    // Two processes that write at once leave what neither checksum belongs to, which the next start replaces.
    writeFileSync(file, Buffer.concat([Buffer.from(`${checksumOf(rest)}\n`), rest]), { mode: 0o600 })
  } catch {
    // A full disk, or a folder that was removed: the next start compiles again.
  }
}

function checksumOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16)
}
