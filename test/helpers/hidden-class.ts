import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--allow-natives-syntax')
const haveSameMap: (one: object, other: object) => boolean = new Function(
  'one',
  'other',
  'return %HaveSameMap(one, other)',
) as never

/**
 * Returns the number of hidden classes that V8 created for these objects. One per object takes several times the memory of the object: V8
 * does that for a copy by spread of an object that was itself created by a spread.
 */
export function hiddenClassesOf(objects: readonly object[]): number {
  const classes: object[] = []
  for (const object of objects) if (!classes.some(one => haveSameMap(one, object))) classes.push(object)
  return classes.length
}
