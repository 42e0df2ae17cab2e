import type { CompletionEvent } from '#chat/events.ts'
import type { ThoughtMetadata } from '#chat/thoughts.ts'

/**
 * The part of one upstream event that concerns one tool call. Any field may be missing, repeated, or come in any order.
 */
export type ToolCallFragment = {
  type: 'call_fragment'
  /** The upstream's index of the call, or one that its reader gives it. Some upstreams give several calls the same index. */
  upstreamIndex?: number | undefined
  id?: string | undefined
  name?: string | undefined
  /** The next fragment can continue the name: always, or only if the request declares no tool of this name. */
  isNamePartial?: true | 'if_undeclared' | undefined
  namespace?: string | undefined
  /** The arguments are free text, not JSON. */
  custom?: true | undefined
  /** The next part of the arguments. */
  text?: string | undefined
  /** A copy of all arguments. Used if the `text` of the fragments contains less. */
  wholeArguments?: string | undefined
  /** Whether the upstream reports that the call is complete. */
  isClosed?: true | undefined
  /** The upstream's id of the response. If the upstream sends no id of the call, one is generated from it. */
  responseId?: string | undefined
  /** The thought signature of the call (Gemini), which the server requires in later requests. */
  signature?: CallSignature | undefined
  /** The index of the choice, if it is not the first. */
  choice?: number
}

/** The metadata of a signed thought, without the id of its call. */
export type CallSignature = Pick<ThoughtMetadata, 'format' | 'via' | 'encrypted' | 'path'>

/** Arguments as text. Some servers send the object instead of its JSON. */
export function argumentsText(value: unknown): string | undefined {
  return typeof value === 'string' || value == null ? (value ?? undefined) : JSON.stringify(value)
}

/** An event that the reader of an upstream returns. Its tool calls are still in fragments. */
export type UpstreamEvent = CompletionEvent | ToolCallFragment

export function hasNoFragments(events: UpstreamEvent[]): events is CompletionEvent[] {
  return events.every(({ type }) => type !== 'call_fragment')
}

/**
 * Whether a fragment only ends a call, or is empty. A fragment with only an index starts a call, because calls are in the order in
 * which they start.
 */
export function isEndMarker({ upstreamIndex, id, name, text, wholeArguments, isClosed }: ToolCallFragment): boolean {
  return !id && !name && !text && !wholeArguments && (upstreamIndex === undefined || isClosed === true)
}

const nullWords: ReadonlySet<string> = new Set(['null', 'None', 'undefined'])

/** The fragment without its name if that is a word for null, which some servers send in later fragments. */
export function withoutNullName(
  fragment: ToolCallFragment,
  toolNames: ReadonlySet<string> | undefined,
): ToolCallFragment {
  const { name = '' } = fragment
  return nullWords.has(name) && !toolNames?.has(name) ? { ...fragment, name: undefined } : fragment
}
