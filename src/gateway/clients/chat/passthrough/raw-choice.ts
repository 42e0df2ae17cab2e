/** The field of a choice with its content: `delta` in a stream, `message` in a whole response. */
export type MessageField = 'delta' | 'message'

/** A call in an upstream's response. Any field can be missing. */
export type RawCall = {
  id?: unknown
  type?: unknown
  index?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
  custom?: { name?: unknown; input?: unknown } | null
}

/** A message or delta of an upstream. */
export type RawMessage = {
  role?: unknown
  content?: unknown
  tool_calls?: RawCall[] | null
  /** The predecessor of `tool_calls`. */
  function_call?: unknown
  audio?: unknown
} & Record<string, unknown>

/** A choice of an upstream. Servers of text completions have `text` instead of a message. */
export type RawChoice = {
  index?: number
  finish_reason?: string | null
  native_finish_reason?: string
  text?: unknown
} & { [field in MessageField]?: RawMessage | null }

/** The index of a choice by its position in the list. The choices of a whole response are in order; events have the index. */
export const choiceIndexOf = ({ index }: { index?: number }, position: number, field: MessageField): number =>
  field === 'message' ? position : (index ?? position)
