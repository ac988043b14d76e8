import { connect, type Socket } from 'node:net'

export interface DribbleOptions {
  readonly port: number
  readonly connections: number
  /** The head of the request, up to the length of its body. */
  readonly head: string
  /** Announced length of the body, whose last byte is never sent. */
  readonly bytes: number
}

export interface Dribblers {
  /** Number of responses by status. */
  readonly answers: ReadonlyMap<string, number>
  /** Resolves when `count` bodies in all were refused. */
  refused(count: number): Promise<void>
  end(): void
}

const pieceBytes = 16 * 1024
const pieceIntervalMs = 250
const piece = Buffer.alloc(pieceBytes, 'x')

/** Connections that send a body at 64 KB a second and never end it. One that is closed is opened again. */
export function startDribblers({ port, connections, head, bytes }: DribbleOptions): Dribblers {
  const answers = new Map<string, number>()
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let isOver = false
  const open = () => {
    const socket = connect(port, '127.0.0.1')
    sockets.add(socket)
    let left = bytes - 1
    const pouring = setInterval(() => {
      // What the other side does not read would fill the memory of this process, and slow down all it does besides.
      if (!socket.writable || socket.writableNeedDrain || left === 0) return
      const next = piece.subarray(0, left)
      left -= next.length
      socket.write(next)
    }, pieceIntervalMs)
    socket.write(`${head}\r\ncontent-length: ${bytes}\r\n\r\n`)
    socket
      .on('error', () => undefined)
      .on('data', chunk => {
        const status = /^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]
        if (status === undefined) return
        answers.set(status, (answers.get(status) ?? 0) + 1)
        for (const look of [...waiting]) look()
        // Who is refused tries again at once.
        socket.destroy()
      })
      .on('close', () => {
        clearInterval(pouring)
        sockets.delete(socket)
        if (!isOver) open()
      })
  }
  for (let index = 0; index < connections; index += 1) open()
  const total = () => [...answers.values()].reduce((sum, count) => sum + count, 0)
  return {
    answers,
    refused: count =>
      new Promise(resolve => {
        const look = () => {
          if (total() < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    end() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
