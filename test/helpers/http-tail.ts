import { openTail, receiveOverHttp, type Watcher } from '../../src/events/receive/index.ts'

type ReceiverOptions = Parameters<typeof receiveOverHttp>[0]

type TailOptions = Parameters<typeof openTail>[0]

export type HttpTailOptions = Omit<TailOptions, 'source' | 'watcher'> &
  Partial<Omit<ReceiverOptions, 'serve'>> &
  Pick<ReceiverOptions, 'clock'> & {
    readonly watcher?: (Watcher & Pick<ReceiverOptions, 'serve'>) | undefined
  }

export type HttpTail = Awaited<ReturnType<typeof openHttpTail>>

/** A tail of an HTTP receiver on a free loopback port; the page of its watcher, if there is one, is served there too. */
export async function openHttpTail({
  host = '127.0.0.1',
  port = 0,
  path = '/',
  ...options
}: HttpTailOptions) {
  const source = receiveOverHttp({ ...options, host, port, path, serve: options.watcher?.serve })
  const tail = await openTail({ ...options, source })
  return { ...tail, url: tail.source.address, port: tail.source.port, allowHost: tail.source.allowHost }
}
