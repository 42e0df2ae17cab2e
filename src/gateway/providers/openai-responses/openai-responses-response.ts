import type { UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { errorWithoutResponse } from '../errors/error-event.ts'
import { readCitations, readSources, TextOffsets } from './openai-responses-citations.ts'
import {
  isCall,
  isUnfinished,
  listParts,
  readDoneItem,
  readEnding,
  startedEvent,
  textEvent,
  thoughtEvent,
  toClosedCallFragment,
  unfinishedEvent,
} from './openai-responses-events.ts'
import type { Item, Response } from './openai-responses-format.ts'

/** Reads a whole response. */
export function readResponse(body: unknown): UpstreamEvent[] {
  const response = body as Response
  if (response.error) return readEnding(response, false)
  if (isUnfinished(response)) return [unfinishedEvent(response.status!)]
  if (!Array.isArray(response.output)) return [errorWithoutResponse(body, 'the response has no output')]
  const text = new TextOffsets()
  const events = response.output.flatMap((item, at) =>
    isCall(item) ? [toClosedCallFragment(item, at)] : readItem(item, at, text),
  )
  const sources = events.some(({ type }) => type === 'citation') ? [] : readSources(response.citations)
  return [startedEvent(response), ...events, ...sources, ...readEnding(response, response.output.some(isCall))]
}

function readItem(item: Item, at: number, text: TextOffsets): UpstreamEvent[] {
  if (item.type === 'message') {
    let isStarted = false
    return listParts(item.content).flatMap((part, index) => {
      if (part.type === 'refusal') return textEvent('refusal', part.refusal)
      const separator = part.text && !isStarted ? text.startMessage() : ''
      isStarted ||= Boolean(part.text)
      const position = { item: at, part: index }
      text.add(position, part.text)
      const citations = readCitations(part.annotations, text.startOf(position))
      return [...textEvent('text', separator), ...textEvent('text', part.text), ...citations]
    })
  }
  if (item.type !== 'reasoning') return readDoneItem(item)
  const parts = listParts(item.summary?.length ? item.summary : item.content)
  const thought = parts.map((part) => part.text ?? '').join('\n\n')
  const doneEvents = readDoneItem(item)
  return thought ? [thoughtEvent(thought), ...doneEvents] : doneEvents
}
