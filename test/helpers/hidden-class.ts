import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--allow-natives-syntax')
const haveSameMap: (one: object, other: object) => boolean = new Function(
  'one',
  'other',
  'return %HaveSameMap(one, other)',
) as never

/**
 * How many hidden classes V8 has made for these objects. One for each object takes several times the memory of the object itself:
 * V8 does that for a copy by spread of an object that was itself built by a spread.
 */
export function hiddenClassesOf(objects: readonly object[]): number {
  const classes: object[] = []
  for (const each of objects) if (!classes.some(one => haveSameMap(one, each))) classes.push(each)
  return classes.length
}
