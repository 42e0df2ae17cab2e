/**
 * Returns a function that makes the pieces of a text well-formed. If a piece ends with the first half of a surrogate pair,
 * the function returns that half with the next piece. Other lone surrogates, which strict JSON parsers reject, become U+FFFD.
 */
export function createPairJoiner(): (piece: string) => string {
  let pendingHalf = ''
  return (piece) => {
    const text = pendingHalf + piece
    pendingHalf = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
    return (pendingHalf ? text.slice(0, -1) : text).toWellFormed()
  }
}
