import { statfs } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { dirname } from 'node:path'
import { arch, platform, versions } from 'node:process'

/** The runtime and the system that this process runs on. */
export const machine = { node: versions.node, system: `${platform} ${arch}` } as const

/** The user and the host of this process, such as `ada@laptop`. A container may have a user without a name. */
export function userAtHost(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return hostname()
  }
}

/** Bytes that this user can still write at a path, whose end may not exist yet; undefined if unknown. */
export async function freeBytes(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    return path === dirname(path) ? undefined : freeBytes(dirname(path))
  }
}
