import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { startSendingThread } from '../../../src/events/forward/sending-thread.ts'
import { holding, startTarget, type TargetServer } from '../../helpers/target-server.ts'
import { until } from './forwarding.ts'

/** A sending thread, and the thread of Node that it is. */
async function start() {
  const started = once(process, 'worker')
  const thread = await startSendingThread()
  onTestFinished(() => thread.close())
  const [worker] = (await started) as [Worker]
  const post = ({ url }: TargetServer, body = Buffer.from('{"message":{}}')) =>
    thread.post({ url, headers: { 'x-a': '1' }, contentType: 'text/plain', timeout: 20_000, body })
  return { thread, worker, post }
}

test('sends an event byte for byte and does not change its input', async () => {
  const target = await startTarget(response => response.writeHead(418).end('short and stout'))
  const { post } = await start()
  const pooled = Buffer.from(' {"message":{"text":"grün"}} ')
  const body = pooled.subarray(1, -1)
  expect(await post(target, body)).toEqual({
    status: 418,
    milliseconds: expect.any(Number),
    body: 'short and stout',
  })
  expect(body.toString()).toBe('{"message":{"text":"grün"}}')
  expect(target.arrivals).toMatchObject([{ headers: { 'x-a': '1', 'content-type': 'text/plain' }, body }])
})

test('a refused connection sent nothing', async () => {
  const target = await startTarget()
  await target.stop()
  const { post } = await start()
  expect(await post(target)).toEqual({
    failure: { reason: 'connection refused', unsent: true, milliseconds: expect.any(Number) },
  })
})

test('a close breaks off what is under way, and nothing goes out any more', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { thread, post } = await start()
  const outcome = post(target)
  const refused = expect(outcome).rejects.toMatchObject({ kind: 'cancelled' })
  await until(() => answer.held === 1)
  await thread.close()
  await refused
  await expect(post(target)).rejects.toMatchObject({ kind: 'cancelled' })
  expect(target.arrivals).toHaveLength(1)
})

test('after a thread ended, its events may have been received and later ones are sent by this one', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { worker, post } = await start()
  const outcome = post(target)
  await until(() => answer.held === 1)
  await worker.terminate()
  expect(await outcome).toEqual({
    failure: { reason: 'the thread that sends failed: it ended', unsent: false, milliseconds: 0 },
  })
  const next = post(target)
  await until(() => answer.held === 2)
  answer.release()
  expect(await next).toMatchObject({ status: 200 })
})

test('sends events that a thread never ran from this one, once', async () => {
  const target = await startTarget()
  const { worker, post } = await start()
  const outcome = post(target)
  await worker.terminate()
  expect(await outcome).toMatchObject({ status: 200 })
  expect(target.arrivals).toHaveLength(1)
})
