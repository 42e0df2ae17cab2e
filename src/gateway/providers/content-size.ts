import type { UpstreamEvent } from '../protocol/tool-calls/fragment.ts'

/** Counts the characters of the content in upstream events. Content that is not text counts as one character. */
export function measureContent(events: readonly UpstreamEvent[]): number {
  return events.reduce((sum, event) => sum + lengthOf(event), 0)
}

function lengthOf(event: UpstreamEvent): number {
  if (event.type === 'started' || event.type === 'finish' || event.type === 'usage') return 0
  // `whole` has all of a call's arguments, `text` the next part of them.
  if (event.type === 'call_fragment')
    return (event.name?.length ?? 0) + (event.text ?? event.wholeArguments ?? '').length || 1
  return 'text' in event ? event.text.length : 1
}
