/**
 * Creates an object whose members are computed at their first use and cached. Spreading it computes all of them. Use it only for
 * singletons, because each such object has its own hidden class.
 */
export function madeWhenRead<T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }): T {
  const made = {} as T
  for (const name of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = makers[name]()
        Object.defineProperty(made, name, { enumerable: true, value })
        return value
      },
    })
  }
  return made
}
