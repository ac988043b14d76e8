/** Returns an object like `base` with some members replaced; getters of both are read each time. */
export function derive<Base extends object>(base: Base, changes: Partial<Base>): Base {
  return Object.create(base, Object.getOwnPropertyDescriptors(changes))
}
