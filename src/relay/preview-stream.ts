import { type BrokerOptions, connectBroker } from './broker.ts'
import type { RelayEvent } from './relay-event-schemas.ts'
import type { PreparedStream } from './stream.ts'

/** Returns what a relay with these options would change, without changing it. @throws CallyardError as connectBroker does */
export async function previewStream(options: Omit<BrokerOptions, 'name'>): Promise<RelayEvent> {
  const broker = await connectBroker({ ...options, name: 'callyard relay --dry-run' }, 'preview')
  await broker.close()
  return streamEvent(options.stream, broker.stream)
}

export function streamEvent(stream: string, { action, replicas, changes }: PreparedStream): RelayEvent {
  const rest = replicas === undefined ? {} : { replicas }
  return { kind: 'stream', stream, action, changes: [...changes], ...rest }
}
