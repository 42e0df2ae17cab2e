/**
 * Returns a function that makes the pieces of a text well-formed. A surrogate pair that is split between two pieces comes
 * with the second one. Other lone surrogates, which strict JSON parsers reject, become U+FFFD.
 */
export function createPairJoiner(): (piece: string) => string {
  let pendingHalf = ''
  return (piece) => {
    const text = pendingHalf + piece
    pendingHalf = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
    return (pendingHalf ? text.slice(0, -1) : text).toWellFormed()
  }
}
