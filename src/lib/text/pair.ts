/** Splits `name=value` at its first `=`; undefined without a name. The value may contain `=`, as base64 does. */
export function splitPair(text: string): readonly [name: string, value: string] | undefined {
  const equals = text.indexOf('=')
  return equals < 1 ? undefined : [text.slice(0, equals), text.slice(equals + 1)]
}
