/** Repeats a piece. */
export const times = <Piece>(count: number, piece: (i: number) => Piece): Piece[] =>
  Array.from({ length: count }, (_, i) => piece(i))

export const fields = <Value>(count: number, name: (i: number) => string, value: (i: number) => Value) =>
  Object.fromEntries(times(count, (i) => [name(i), value(i)]))

export const user = (content: unknown = 'a') => ({ role: 'user', content })

/** A text that filters find. */
export const email = (i: number) => `somebody.with.a.longer.name.${i}@example.org`

/** Makes a body that contains so many pieces of one kind. */
export type GrowingBody = (count: number) => Record<string, unknown>
