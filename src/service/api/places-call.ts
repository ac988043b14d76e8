import { posix } from 'node:path'
import { endpoints } from '../../interface/endpoints.ts'

interface Write {
  readonly method: string
  readonly url: URL
}

const paths = [endpoints.startCall.path, endpoints.connectCall.path].map(path => path.toLowerCase())
const callsFolder = '/calls/'

/** True if a request may place a call: servers differ in how they read escapes, parameters, extensions, slashes and case. */
export function placesCall({ method, url }: Write): boolean {
  const variants = lenientPaths(url.pathname)
  return method === 'POST' && paths.some(path => variants.some(readPath => readPath.endsWith(path)))
}

/** True if a request may change something below `/calls/`, whatever follows: a server may read the rest as it likes. */
export function writesBelowCalls({ method, url }: Write): boolean {
  return (
    !['GET', 'HEAD', 'OPTIONS'].includes(method) &&
    lenientPaths(url.pathname).some(path => `${path}/`.includes(callsFolder))
  )
}

/**
 * Returns a path as the most lenient servers may read it: decoded until nothing changes, without query, parameters of segments (`;x`),
 * extensions, control characters and empty segments, in lower case; `..` is a name or the parent.
 */
function lenientPaths(pathname: string): string[] {
  let decoded = pathname
  for (let before = ''; before !== decoded; ) {
    before = decoded
    // Unlike decodeURIComponent, this accepts invalid escapes; only ASCII is compared.
    decoded = before.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  const path = decoded.replaceAll('\\', '/').replace(/[?#].*$/s, '')
  return [path, posix.normalize(path)].map(variant => {
    const segments = variant
      .split('/')
      .map(segment => segment.replace(/^[\0- ]+|(?<=[^\0- ])[\0- ;.].*$/gs, ''))
    return `/${segments.filter(segment => !/^\.*$/.test(segment)).join('/')}`.toLowerCase()
  })
}
