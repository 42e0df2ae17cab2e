import type { AnswerEvent } from '#chat/events.ts'

/**
 * The part of one upstream event that concerns one tool call. Any member may be missing, repeated, or come in any order.
 */
export type ToolCallPiece = {
  type: 'call_piece'
  /** The upstream's number of the call. Some upstreams give several calls the same number. */
  key?: number | undefined
  id?: string | undefined
  name?: string | undefined
  namespace?: string | undefined
  /** The arguments are free text, not JSON. */
  custom?: true | undefined
  /** More of the arguments. */
  text?: string | undefined
  /** All of the arguments. They count where the pieces say less. */
  whole?: string | undefined
  /** The upstream says that the call is complete. */
  isClosed?: true | undefined
  /** The upstream's id of the answer, from which the id of a call without one is made. */
  answerId?: string | undefined
  /** The number of the choice, if it is not the first. */
  choice?: number
}

/** An event of a reader of upstreams: tool calls are still in pieces. */
export type UpstreamEvent = AnswerEvent | ToolCallPiece
