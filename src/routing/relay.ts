import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { Outlet } from '#lib/outlet.ts'
import type { Receiver } from './attempt.ts'
import type { AttemptFailure } from './failure.ts'
import type { AnswerHead, ClientWire, CostNote, StreamWriter } from './wire.ts'

type Count = (events: AnswerEvent[]) => void
type PriceTokens = (tokens: TokenCounts) => CostNote

/** How a stream reaches the client: as the bytes it came in where both sides speak one protocol, else translated. */
export type StreamRelay = Receiver & {
  /** The failure after the first byte, when there was one. */
  readonly failure: AttemptFailure | undefined
  /** Goes on where the stream has come to. */
  readonly writer: StreamWriter
}

type StreamOptions = {
  client: ClientWire
  head: AnswerHead
  passThrough: boolean
  includeUsage: boolean
  count: Count
  price: PriceTokens
}

export function relayStream(
  outlet: Outlet,
  { client, head, passThrough, includeUsage, count, price }: StreamOptions,
): StreamRelay {
  const writer = client.writer(head, { includeUsage })
  let tokens: TokenCounts | undefined
  let failure: AttemptFailure | undefined
  let pause = () => {}
  let passed = 0

  const send = (chunk: string | Buffer) => {
    if (chunk.length > 0 && !outlet.write(chunk)) pause()
  }
  return {
    get failure() {
      return failure
    },
    get writer() {
      return passed > 0 ? client.writer(head, { includeUsage, passedEvents: passed }) : writer
    },
    started(exchange) {
      pause = exchange.pause
      outlet.onDrain(exchange.resume)
    },
    events(events, raw) {
      count(events)
      tokens = usageIn(events) ?? tokens
      if (!passThrough || raw === undefined) return send(events.map(writer.event).join(''))
      passed++
      const usage = usageIn(events)
      if (!usage) return send(raw)
      send(client.usageEvent(raw, price(usage), includeUsage))
    },
    ended() {
      send(passed > 0 ? client.passThroughEnd : writer.end(tokens && price(tokens)))
      outlet.end()
    },
    broke(broken) {
      failure = broken
    },
  }
}

export function usageIn(events: AnswerEvent[]): TokenCounts | undefined {
  return events.find((event) => event.type === 'usage')?.tokens
}

/** How a whole answer is put together for a client that does not stream. */
export type WholeRelay = Receiver & { readonly failure: AttemptFailure | undefined; body: () => Buffer | object }

type WholeOptions = { client: ClientWire; head: AnswerHead; passThrough: boolean; count: Count; price: PriceTokens }

export function relayWhole({ client, head, passThrough, count, price }: WholeOptions): WholeRelay {
  const all: AnswerEvent[] = []
  let bytes: Buffer | undefined
  let failure: AttemptFailure | undefined
  return {
    get failure() {
      return failure
    },
    started: () => {},
    events(events, _raw, whole) {
      count(events)
      all.push(...events)
      bytes = whole
    },
    ended: () => {},
    broke(broken) {
      failure = broken
    },
    body() {
      const usage = usageIn(all)
      const cost = usage && price(usage)
      return passThrough && bytes ? withCost(bytes, cost) : client.writeBody(head, all, cost)
    },
  }
}

/** The same bytes, the cost put first into their usage; where that is not found they go out as they are. */
export function withCost(bytes: Buffer, cost: CostNote | undefined): Buffer {
  if (!cost) return bytes
  const text = bytes.toString('utf8')
  const at = [...text.matchAll(/"usage"\s*:\s*\{/g)].at(-1)
  if (!at) return bytes
  const end = at.index + at[0].length
  const comma = /^\s*\}/.test(text.slice(end)) ? '' : ','
  return Buffer.from(`${text.slice(0, end)}"cost":${cost.costUsd}${comma}${text.slice(end)}`)
}
