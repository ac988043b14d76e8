import { JetStreamApiError } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { streamFailure } from '../../src/relay/stream.ts'

const failure = (code: number, err_code: number) =>
  new JetStreamApiError({ code, err_code, description: 'stream not found' })

test('a cluster that does not know the stream yet is away, and does not refuse it', () => {
  const unknown = failure(404, 10059)
  expect(streamFailure('calls', unknown)).toBe(unknown)
  expect(streamFailure('calls', failure(400, 10052))).toMatchObject({
    code: 'jetstream-refused',
    kind: 'refused',
  })
})
