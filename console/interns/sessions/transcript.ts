import type { InternEntry, InternText } from '../../api/types.ts'

/** Replaces the entry with the same id, or appends it. */
export function withEntry(entries: InternEntry[], entry: InternEntry): InternEntry[] {
  const at = entries.findIndex(({ id }) => id === entry.id)
  return at < 0 ? [...entries, entry] : entries.with(at, entry)
}

/** Appends a piece of streamed text. A piece that is sent again replaces the text from its offset on. */
export function withText(entries: InternEntry[], piece: InternText): InternEntry[] {
  const { entry_id: id, run_id, type, at, offset, text } = piece
  const before = entries.find((entry) => entry.id === id)
  const previousText = before && 'text' in before ? before.text : ''
  const entry = { id, run_id, at: before?.at ?? at, updated_at: at, type, text: previousText.slice(0, offset) + text }
  return withEntry(entries, entry as InternEntry)
}
