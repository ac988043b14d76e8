import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { getErrorCode } from '../error.ts'

/** True if a server can listen on the port, the reason if not. Listens for a moment. */
export function canListen(port: number, host: string): Promise<true | string> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', error => resolve(getErrorCode(error) ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

export interface PortOwner {
  readonly pid: number
  readonly argv: readonly string[]
}

/** Finds the process that listens on a port. Linux only; undefined if it is another user's, in another container, or unknown. */
export async function findPortOwner(port: number): Promise<PortOwner | undefined> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readIfPossible))
  const sockets = tables.flatMap(table => listeningInodes(table, port)).map(inode => `socket:[${inode}]`)
  if (sockets.length === 0) return undefined
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = await Promise.all(files.map(file => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
    if (!links.some(link => sockets.includes(link))) continue
    const argv = (await readIfPossible(`/proc/${pid}/cmdline`)).split('\0').filter(word => word !== '')
    return { pid: Number(pid), argv }
  }
  return undefined
}

/** Inodes of the sockets that listen on a port, from a table of proc_net_tcp(5). */
export function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap(line => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    return state === '0A' && local.endsWith(suffix) && inode !== undefined ? [inode] : []
  })
}

function readIfPossible(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
