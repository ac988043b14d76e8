import { quote } from './curl-command.ts'

/** Sends the events of a sample call to a listener. For any POSIX shell. The value of a header that the listener requires is the tail's secret. */
export function triggerCommand(address: string, requiredHeader: string | null): string {
  const to = /^[\w:/.%-]+$/.test(address) ? address : quote(address)
  const header = requiredHeader === null ? '' : ` --header ${quote(`${requiredHeader}: …`)}`
  return `callwright webhook trigger call --to ${to}${header}`
}
