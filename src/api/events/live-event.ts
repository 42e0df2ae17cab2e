import type { Caller } from '#identity/accounts/caller.ts'

export const eventTypes = ['generation', 'question', 'intern', 'circuit'] as const
export type EventType = (typeof eventTypes)[number]

/** Something that happened, ready to be told to whoever may hear it. */
export type LiveEvent = {
  /** Its place: the row of the event log, and how many of the same row come before it. */
  seq: number
  n: number
  type: EventType
  /** What a caller is told of it, as JSON; undefined for who may not hear it. */
  dataFor: (caller: Caller) => string | undefined
}

/** How far somebody has heard: all up to `seq`, of that row up to `n`. */
export type Cursor = { seq: number; n: number }

/** The whole of a row. */
export const wholeRow = 999_999

export const cursorText = ({ seq, n }: Cursor) => (n === wholeRow ? String(seq) : `${seq}.${n}`)

/** @returns undefined for what is no id of an event: it is as good as one that is too old. */
export function readCursor(text: string): Cursor | undefined {
  const [, seq, n] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), n: n === undefined ? wholeRow : Number(n) }
}

export const isAfter = (event: Cursor, cursor: Cursor) =>
  event.seq > cursor.seq || (event.seq === cursor.seq && event.n > cursor.n)
