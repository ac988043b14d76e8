import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../../../lib/clock.ts'
import type { Environment } from '../../../lib/environment.ts'
import { getErrorCode } from '../../../lib/error.ts'
import { makeFolder } from '../../../lib/fs/make-folder.ts'
import { readSmallFile } from '../../../lib/fs/read-file.ts'
import { replaceFile } from '../../../lib/fs/replace-file.ts'
import { agentFolder, storeUnusable } from '../../../lib/fs/user-folders.ts'
import { parseJson } from '../../../lib/json.ts'

const keptMs = 24 * 60 * 60_000

interface StoreDeps {
  readonly env: Environment
  readonly clock: Clock
}

/** A folder of JSON files under random names (mode 0600), which are kept for a day: the protocol has no sessions. */
export function createHandleStore<Schema extends z.ZodMiniType>(
  kind: 'results' | 'chats',
  schema: Schema,
  { env, clock }: StoreDeps,
) {
  const folder = join(agentFolder(env), kind)
  const fileOf = (id: string) => join(folder, `${id}.json`)
  const save = async (id: string, value: z.infer<Schema>) => {
    try {
      await makeFolder(folder, 0o700)
      await replaceFile(fileOf(id), JSON.stringify(value), { mode: 0o600 })
    } catch (error) {
      throw storeUnusable(folder, 'write', error)
    }
  }
  return {
    save,
    async add(value: z.infer<Schema>): Promise<string> {
      const id = randomBytes(6).toString('hex')
      await save(id, value)
      return id
    },
    read(id: string): z.infer<Schema> | undefined {
      if (!/^[0-9a-f]{12}$/.test(id)) return undefined
      try {
        return schema.safeParse(parseJson(readSmallFile(fileOf(id)).toString('utf8'))).data
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') return undefined
        throw storeUnusable(folder, 'read', error)
      }
    },
    /** Removes what was last changed more than a day ago. */
    async removeOld(): Promise<void> {
      for (const name of await readdir(folder).catch(() => [])) {
        const status = await stat(join(folder, name)).catch(() => undefined)
        if (status !== undefined && clock.now() - status.mtimeMs >= keptMs)
          await rm(join(folder, name), { force: true })
      }
    },
  }
}

export type ResultStore = ReturnType<typeof createResultStore>

/** Results that are longer than a tool returns at once. A handle is an id with an offset: `0a1b2c3d4e5f@1800`. */
export function createResultStore(deps: StoreDeps) {
  const store = createHandleStore('results', z.object({ source: z.string(), data: z.string() }), deps)
  return {
    removeOld: store.removeOld,
    add: async (source: string, data: string): Promise<string> => `${await store.add({ source, data })}@0`,
    async read(handle: string) {
      const [, id = '', offset = ''] = /^([0-9a-f]{12})@(\d{1,12})$/.exec(handle) ?? []
      const storedResult = store.read(id)
      if (storedResult === undefined) return undefined
      return { ...storedResult, offset: Number(offset), withOffset: (at: number) => `${id}@${at}` }
    },
  }
}
