import { isAscii } from 'node:buffer'
import type { CompletionEvent } from '#chat/events.ts'
import { parseExactly } from '#platform/json/json-text/exact-numbers.ts'
import { toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import { decodeLatin1 } from '#platform/text/decode-bytes.ts'
import type { Receiver, WholeResponse } from '../attempt/response/receiver.ts'
import type { ClientProtocol, CostNote, ResponseHead, WholeBody } from './client-protocol.ts'
import { addCostToUsage, findUsage, type PriceTokens, toCostNote } from './usage-with-cost.ts'

type WholeRelayOptions = {
  client: ClientProtocol
  head: ResponseHead
  /** Whether the client gets the bytes of the upstream, because both use the same protocol. */
  passesResponse: boolean
  count: (events: CompletionEvent[]) => void
  price: PriceTokens
}

/** Builds a whole response for a client that does not stream. */
export class WholeRelay implements Receiver {
  readonly #options: WholeRelayOptions
  readonly #events: CompletionEvent[] = []
  #response: WholeResponse | undefined
  #body: WholeBody = {}

  constructor(options: WholeRelayOptions) {
    this.#options = options
  }

  /** The response for the client, after the end. */
  get body(): WholeBody {
    return this.#body
  }

  onStart(): void {}

  onEvents(events: CompletionEvent[], _raw: Buffer | undefined, whole?: WholeResponse): void {
    this.#options.count(events)
    for (const event of events) this.#events.push(event)
    this.#response = whole
  }

  flush(): void {}

  /** Writes the response. If this fails, another endpoint can be tried, because the attempt has not ended yet. */
  onEnd(): void {
    const { client, head, passesResponse, price } = this.#options
    const usage = findUsage(this.#events)
    const cost = usage && toCostNote(usage, price)
    this.#body =
      passesResponse && this.#response
        ? this.#rewriteBytes(this.#response, cost)
        : client.writeBody(head, this.#events, cost)
  }

  /** The bytes of the upstream, with the changes that clients need. */
  #rewriteBytes(response: WholeResponse, cost: CostNote | undefined): WholeBody {
    const { client, head } = this.#options
    const rewriter = client.createRewriter?.(head)
    if (!rewriter && !cost) return response.bytes
    const unchanged = latin1OfResponse(response)
    const rewritten = rewriter ? rewriter.rewriteWhole(unchanged, response.body, this.#events) : unchanged
    const changed = withCost(rewritten, cost, client.toUsage)
    // ASCII is the same in both encodings. As text, it is sent in one piece with the head.
    return Buffer.byteLength(changed) === changed.length ? changed : Buffer.from(changed, 'latin1')
  }
}

/** The response as a string with one character for each byte. UTF-8 sequences are not decoded. */
function latin1OfResponse({ bytes, text }: WholeResponse): string {
  return isAscii(bytes) ? text : decodeLatin1(bytes)
}

/**
 * Inserts the cost into the usage of a response, given as a latin1 string of its bytes. Parses and rewrites the response if
 * the position is ambiguous or the usage already has a cost.
 */
export function withCost(response: string, cost: CostNote | undefined, usageOf: ClientProtocol['toUsage']): string {
  if (!cost) return response
  if (cost.billedTokens) return rewriteWithCost(response, cost, usageOf)
  const name = response.indexOf('"usage"')
  // Quotes within strings are escaped, so this never matches text of the response.
  usageOpening.lastIndex = name
  const opening = name < 0 ? undefined : usageOpening.exec(response)
  const isPlain = opening && response.indexOf('"usage"', name + 1) === -1 && response.indexOf('"cost"', name) === -1
  if (!isPlain) return rewriteWithCost(response, cost, usageOf)
  const insertAt = name + opening[0].indexOf('{') + 1
  const note = `"cost":${cost.costUsd}${opening[1] ? '' : ','}`
  return response.slice(0, insertAt) + note + response.slice(insertAt)
}

const usageOpening = /"usage"\s*:\s*\{\s*(\})?/y

function rewriteWithCost(response: string, cost: CostNote, usageOf: ClientProtocol['toUsage']): string {
  const responseObject = parseExactly(Buffer.from(response, 'latin1').toString('utf8')) as { usage?: object | null }
  if (responseObject.usage || cost.billedTokens)
    responseObject.usage = addCostToUsage(responseObject.usage, cost, usageOf)
  return toLatin1Json(responseObject)
}
