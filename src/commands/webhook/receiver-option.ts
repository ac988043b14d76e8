import { InvalidArgumentError } from 'commander'

/** The address of a webhook receiver that events are sent to. */
export function parseReceiver(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give an http or https address, such as http://127.0.0.1:3000/hook.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError("User and password go into a header of its own: 'authorization: Basic …'.")
  }
  url.hash = ''
  return url.href
}
