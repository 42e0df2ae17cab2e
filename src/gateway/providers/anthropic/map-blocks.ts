import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../../protocol/request-body.ts'

type Turn = { content?: unknown } | null

/** Changes the content blocks of all messages. Content that is a text stays. The same body if no block changes. */
export function mapBlocks<Block>(body: Body, change: (block: Block) => Block): Body {
  if (!Array.isArray(body.messages)) return body
  const messages = mapItems(body.messages as Turn[], (turn) => {
    if (!Array.isArray(turn?.content)) return turn
    const content = mapItems(turn.content as Block[], change)
    return content === turn.content ? turn : { ...turn, content }
  })
  return messages === body.messages ? body : { ...body, messages }
}
