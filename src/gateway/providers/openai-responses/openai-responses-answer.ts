import type { UpstreamEvent } from '../../protocol/tool-calls/piece.ts'
import { errorWithoutAnswer } from '../error-code.ts'
import { AnswerText, citations } from './openai-responses-citations.ts'
import {
  callPiece,
  doneItem,
  ending,
  errorEvent,
  isCall,
  partsOf,
  started,
  textEvent,
  thoughtOf,
} from './openai-responses-events.ts'
import type { Item, Response } from './openai-responses-format.ts'

/** Reads a whole response. */
export function readResponse(body: unknown): UpstreamEvent[] {
  const response = body as Response
  if (response.error) return [errorEvent(response.error)]
  if (!Array.isArray(response.output)) return [errorWithoutAnswer(body, 'the answer has no output')]
  const text = new AnswerText()
  const events = response.output.flatMap((item, at) =>
    isCall(item) ? [callPiece(item, at, true)] : wholeItem(item, at, text),
  )
  return [started(response), ...events, ...ending(response, response.output.some(isCall))]
}

function wholeItem(item: Item, at: number, text: AnswerText): UpstreamEvent[] {
  if (item.type === 'message') {
    return partsOf(item.content).flatMap((part, index) => {
      if (part.type === 'refusal') return textEvent('refusal', part.refusal)
      text.add(at, index, part.text)
      return [...textEvent('text', part.text), ...citations(part.annotations, text.startOf(at, index))]
    })
  }
  if (item.type !== 'reasoning') return doneItem(item)
  const parts = partsOf(item.summary?.length ? item.summary : item.content)
  const thought = parts.map((part) => part.text ?? '').join('\n\n')
  return [...(thought ? [thoughtOf(thought)] : []), ...doneItem(item)]
}
