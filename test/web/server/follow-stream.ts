import { get } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Frame {
  readonly event: string
  readonly data: unknown
}

/** Frames of a stream of events, one after the other. */
export function follow(url: string) {
  const frames: Frame[] = []
  let wake = () => {}
  let ended = false
  const clientRequest = get(url, answer => {
    let rest = ''
    answer.setEncoding('utf8')
    answer.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const event = /^event: (.*)$/m.exec(part)?.[1]
        const data = /^data: (.*)$/m.exec(part)?.[1]
        if (event !== undefined && data !== undefined) frames.push({ event, data: JSON.parse(data) })
      }
      wake()
    })
    answer.on('close', () => {
      ended = true
      wake()
    })
  })
  clientRequest.on('error', () => {})
  onTestFinished(() => void clientRequest.destroy())
  const until = async (isWanted: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const match = frames.find(isWanted)
      if (match !== undefined) return match
      if (ended) throw new Error('the stream ended')
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  return {
    frames,
    until,
    close: () => void clientRequest.destroy(),
  }
}
