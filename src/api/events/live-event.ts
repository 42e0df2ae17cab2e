import type { Caller } from '#identity/accounts/caller.ts'

export const eventTypes = ['generation', 'question', 'intern', 'circuit'] as const
export type EventType = (typeof eventTypes)[number]

/** An event, ready to be sent to the callers that can read it. */
export type LiveEvent = {
  /** The row of the event log. */
  seq: number
  /** The position within the row. */
  index: number
  type: EventType
  /** The data for a caller as JSON; undefined if the caller is not allowed to read it. */
  dataFor: (caller: Caller) => string | undefined
}

/** The position of a listener: all rows before `seq`, and that row up to `index`. */
export type Cursor = { seq: number; index: number }

/** The index that means all events of a row: the largest one in the text of a cursor. */
export const wholeRow = 999_999

export const cursorText = ({ seq, index }: Cursor) => (index === wholeRow ? String(seq) : `${seq}.${index}`)

/** @returns undefined for an invalid id, which is treated as an expired one. */
export function readCursor(text: string): Cursor | undefined {
  const [, seq, index] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), index: index === undefined ? wholeRow : Number(index) }
}

export const isAfter = (event: Cursor, cursor: Cursor) =>
  event.seq > cursor.seq || (event.seq === cursor.seq && event.index > cursor.index)
