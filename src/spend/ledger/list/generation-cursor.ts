import { Fault } from '#platform/core/fault.ts'

/**
 * The end of a page. The next page starts after it, with older requests. An empty id: all requests of that millisecond belong to
 * the page that ended, so the next page starts before the millisecond.
 */
export type CursorPosition = { createdAt: number; id: string }

export const toPosition = ({ created_at, id }: { created_at: number; id: string }) => ({ createdAt: created_at, id })

export const toCursor = ({ createdAt, id }: CursorPosition) => Buffer.from(`${createdAt} ${id}`).toString('base64url')

export function readCursor(cursor: string): CursorPosition {
  const [, createdAt, id] = /^(\d{1,15}) (\S{0,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id }
  throw new Fault('invalid', 'Invalid request: cursor: must be the next_cursor of an earlier page')
}
