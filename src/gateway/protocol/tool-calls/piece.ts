import type { AnswerEvent } from '#chat/events.ts'
import type { ThoughtMetadata } from '#chat/thoughts.ts'

/**
 * The part of one upstream event that concerns one tool call. Any field may be missing, repeated, or come in any order.
 */
export type ToolCallPiece = {
  type: 'call_piece'
  /** The upstream's number of the call. Some upstreams give several calls the same number. */
  key?: number | undefined
  id?: string | undefined
  name?: string | undefined
  /** The next piece can continue the name: in any case, or only if the request declares no tool of this name. */
  isNamePartial?: true | 'if_undeclared' | undefined
  namespace?: string | undefined
  /** The arguments are free text, not JSON. */
  custom?: true | undefined
  /** More text of the arguments. */
  text?: string | undefined
  /** All of the arguments. Used if the pieces contain less. */
  whole?: string | undefined
  /** Whether the upstream reports that the call is complete. */
  isClosed?: true | undefined
  /** The upstream's id of the answer, from which the id of a call without one is generated. */
  answerId?: string | undefined
  /** The server's signature of the call, which it requires in later requests. */
  signature?: CallSignature | undefined
  /** The number of the choice, if it is not the first. */
  choice?: number
}

/** The metadata of a signed thought, without the id of its call. */
export type CallSignature = Pick<ThoughtMetadata, 'format' | 'via' | 'encrypted' | 'path'>

/** Arguments as text. Some servers send the object instead of its JSON. */
export function argumentsText(value: unknown): string | undefined {
  return typeof value === 'string' || value == null ? (value ?? undefined) : JSON.stringify(value)
}

/** An event of a reader of upstreams, in which tool calls are still in pieces. */
export type UpstreamEvent = AnswerEvent | ToolCallPiece

export const isCallPiece = ({ type }: UpstreamEvent) => type === 'call_piece'

export function concernsCalls({ type }: UpstreamEvent): boolean {
  return type === 'call_piece' || type === 'finish' || type === 'usage'
}

/** A piece with only the index of a call starts it, because calls are in the order in which they start. */
export function isEndMarker({ key, id, name, text, whole, isClosed }: ToolCallPiece): boolean {
  return !id && !name && !text && !whole && (key === undefined || isClosed === true)
}

const nullWords: ReadonlySet<string> = new Set(['null', 'None', 'undefined'])

/** The piece without the word for null that some servers send as the name in later pieces. */
export function withoutNullName(piece: ToolCallPiece, toolNames: ReadonlySet<string> | undefined): ToolCallPiece {
  const { name = '' } = piece
  return nullWords.has(name) && !toolNames?.has(name) ? { ...piece, name: undefined } : piece
}
