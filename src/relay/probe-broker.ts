import { type ConnectionOptions, openConnection } from './connection.ts'

/** Connects to the broker and disconnects. @throws CallwrightError as openConnection does */
export function probeBroker(
  options: Omit<ConnectionOptions, 'name'>,
): Promise<{ server: string; version: string }> {
  return openConnection({ ...options, name: 'callwright doctor' }, async ({ server, version, close }) => {
    await close()
    return { server, version }
  })
}
