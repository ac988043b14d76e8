import { posix } from 'node:path'
import { endpoints } from '../interface/endpoints.ts'

const paths = [endpoints.startCall.path, endpoints.connectCall.path].map(path => path.toLowerCase())

/** True if a POST to this URL may place a call: servers differ in how they read escapes, slashes and case. */
export function placesCall({ pathname }: Pick<URL, 'pathname'>): boolean {
  // Unlike decodeURIComponent, this accepts invalid escapes; only ASCII is compared.
  const decoded = pathname.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const normalized = posix.normalize(decoded.replaceAll('\\', '/')).replace(/\/$/, '').toLowerCase()
  return paths.some(each => normalized.endsWith(each))
}
