/** True for a label of the WHATWG Encoding Standard, such as `latin2`. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
