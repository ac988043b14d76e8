import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { clusterConfigs, type NatsProcess, startNats } from '../../helpers/nats-process.ts'
import type { AttackTools } from '../attack.ts'

export interface Brokers {
  readonly all: readonly NatsProcess[]
  readonly urls: readonly string[]
  /** Fills the disk of the last broker, and returns how to free it. Undefined if this user cannot mount a file system. */
  readonly fillDisk: (() => () => void) | undefined
}

/** Starts one broker or a cluster of three. With a `smallDisk`, the last one has a file system of its own. */
export async function startBrokers(
  tools: AttackTools,
  { count, smallDisk }: { readonly count: 1 | 3; readonly smallDisk: boolean },
): Promise<Brokers> {
  const configs = count === 1 ? [undefined] : await clusterConfigs()
  const folders = await Promise.all(configs.map(() => tools.folder()))
  const last = folders.at(-1)
  const isMounted = smallDisk && last !== undefined && mountSmallDisk(last, tools)
  const all = await Promise.all(
    configs.map((config, index) => startNats({ folder: folders[index] ?? '', config })),
  )
  for (const broker of all) tools.onEnd(() => broker.kill())
  return {
    all,
    urls: all.map(({ url }) => url),
    fillDisk: isMounted ? () => fill(join(last, 'filler')) : undefined,
  }
}

/** A tmpfs, because its size is a limit of the kernel and an unmount leaves nothing. */
function mountSmallDisk(folder: string, tools: AttackTools): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  tools.onEnd(() => execFileSync('umount', ['--lazy', folder]))
  return true
}

function fill(path: string): () => void {
  const file = openSync(path, 'w')
  for (let block = Buffer.alloc(1024 ** 2); block.length > 0; ) {
    try {
      writeSync(file, block)
    } catch {
      block = block.subarray(0, Math.floor(block.length / 16))
    }
  }
  closeSync(file)
  return () => rmSync(path)
}
