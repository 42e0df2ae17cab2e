import { groupThoughtPieces, pieceText } from '#chat/thoughts.ts'

/**
 * Replacements for the texts of thoughts that came in several pieces. A provider gets the pieces joined, so they are
 * rewritten joined. If that changes them, the first piece gets the whole text.
 */
export function rewriteJoined(details: readonly unknown[], rewrite: (text: string) => string): Map<unknown, string> {
  const texts = new Map<unknown, string>()
  for (const pieces of groupThoughtPieces(details)) {
    const [first, ...others] = pieces.filter((piece) => pieceText(piece) !== '')
    if (first === undefined || others.length === 0) continue
    const joined = [first, ...others].map(pieceText).join('')
    const rewritten = rewrite(joined)
    const isSame = rewritten === joined
    texts.set(first, isSame ? pieceText(first) : rewritten)
    for (const piece of others) texts.set(piece, isSame ? pieceText(piece) : '')
  }
  return texts
}

/** A piece with this text, whose other fields are rewritten by themselves. */
export function withText(piece: Fields, text: string, rewriteOthers: (piece: Fields) => Fields): Fields {
  const field = typeof piece.text === 'string' ? 'text' : 'summary'
  const withoutText = { ...piece, [field]: '' }
  const others = rewriteOthers(withoutText)
  return others === withoutText && text === piece[field] ? piece : { ...others, [field]: text }
}

type Fields = Record<string, unknown>
