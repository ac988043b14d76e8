import { type ConnectionOptions, openConnection } from './connection.ts'

/** Connects to the broker and disconnects. @throws CallyardError as openConnection does */
export function probeBroker(
  options: Omit<ConnectionOptions, 'name'>,
): Promise<{ server: string; version: string }> {
  return openConnection({ ...options, name: 'callyard doctor' }, async ({ server, version, close }) => {
    await close()
    return { server, version }
  })
}
