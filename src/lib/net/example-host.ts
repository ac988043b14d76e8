/** A host that RFC 2606 keeps for examples: no server is ever there. */
export function isExampleHost(hostname: string): boolean {
  return /(^|\.)(example|invalid|example\.(com|net|org))$/.test(hostname)
}
