/**
 * An object whose members are made when they are first read, and kept. To spread it makes them all. For what is there
 * once in a process: each such object is of a hidden class of its own.
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
