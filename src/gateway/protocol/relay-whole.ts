import { isAscii } from 'node:buffer'
import type { AnswerEvent } from '#chat/events.ts'
import { toLatin1Json } from '#platform/json/json-text/json-members.ts'
import { decodeLatin1 } from '#platform/text/decode-bytes.ts'
import type { Receiver, WholeAnswer } from '../attempt/answer/receiver.ts'
import type { AnswerHead, ClientProtocol, CostNote, WholeBody } from './client-protocol.ts'
import { addCostToUsage, findUsage, type PriceTokens, toCostNote } from './usage-with-cost.ts'

type WholeRelayOptions = {
  client: ClientProtocol
  head: AnswerHead
  /** Whether the client gets the bytes of the upstream, because both use the same protocol. */
  passesAnswer: boolean
  count: (events: AnswerEvent[]) => void
  price: PriceTokens
}

/** Builds a whole answer for a client that does not stream. */
export class WholeRelay implements Receiver {
  readonly #options: WholeRelayOptions
  readonly #events: AnswerEvent[] = []
  #answer: WholeAnswer | undefined
  #body: WholeBody = {}

  constructor(options: WholeRelayOptions) {
    this.#options = options
  }

  /** The answer for the client, after the end. */
  get body(): WholeBody {
    return this.#body
  }

  onStart(): void {}

  onEvents(events: AnswerEvent[], _raw: Buffer | undefined, whole?: WholeAnswer): void {
    this.#options.count(events)
    for (const event of events) this.#events.push(event)
    this.#answer = whole
  }

  flush(): void {}

  /** Writes the answer. If this fails, another endpoint can be tried, because the attempt has not ended yet. */
  onEnd(): void {
    const { client, head, passesAnswer, price } = this.#options
    const usage = findUsage(this.#events)
    const cost = usage && toCostNote(usage, price)
    this.#body =
      passesAnswer && this.#answer ? this.#rewriteBytes(this.#answer, cost) : client.writeBody(head, this.#events, cost)
  }

  /** The bytes of the upstream, with the changes that clients need. */
  #rewriteBytes(answer: WholeAnswer, cost: CostNote | undefined): WholeBody {
    const { client, head } = this.#options
    const rewriter = client.createRewriter?.(head)
    if (!rewriter && !cost) return answer.bytes
    const unchanged = latin1OfAnswer(answer)
    const rewritten = rewriter ? rewriter.rewriteWhole(unchanged, answer.body, this.#events) : unchanged
    const changed = withCost(rewritten, cost, client.toUsage)
    // ASCII is the same in both encodings. As text, it is sent in one piece with the head.
    return Buffer.byteLength(changed) === changed.length ? changed : Buffer.from(changed, 'latin1')
  }
}

/** The answer as a string with one character for each byte. UTF-8 sequences are not decoded. */
function latin1OfAnswer({ bytes, text }: WholeAnswer): string {
  return isAscii(bytes) ? text : decodeLatin1(bytes)
}

/**
 * Inserts the cost into the usage of an answer, given as a latin1 string of its bytes. Parses and rewrites the answer if
 * the position is ambiguous or the usage already has a cost.
 */
export function withCost(answer: string, cost: CostNote | undefined, usageOf: ClientProtocol['toUsage']): string {
  if (!cost) return answer
  if (cost.billedTokens) return rewriteWithCost(answer, cost, usageOf)
  const name = answer.indexOf('"usage"')
  // Quotes within strings are escaped, so this never matches text of the answer.
  usageOpening.lastIndex = name
  const opening = name < 0 ? undefined : usageOpening.exec(answer)
  const isPlain = opening && answer.indexOf('"usage"', name + 1) === -1 && answer.indexOf('"cost"', name) === -1
  if (!isPlain) return rewriteWithCost(answer, cost, usageOf)
  const insertAt = name + opening[0].indexOf('{') + 1
  const note = `"cost":${cost.costUsd}${opening[1] ? '' : ','}`
  return answer.slice(0, insertAt) + note + answer.slice(insertAt)
}

const usageOpening = /"usage"\s*:\s*\{\s*(\})?/y

function rewriteWithCost(answer: string, cost: CostNote, usageOf: ClientProtocol['toUsage']): string {
  const answerObject = JSON.parse(Buffer.from(answer, 'latin1').toString('utf8')) as { usage?: object | null }
  if (answerObject.usage || cost.billedTokens) answerObject.usage = addCostToUsage(answerObject.usage, cost, usageOf)
  return toLatin1Json(answerObject)
}
