import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createDemoEmbedding, defaultDimensions, maxDimensions } from '#chat/demo/embedding.ts'
import { readDemoOptions } from '#chat/demo/keywords.ts'
import type { EmbeddingsInput } from '#chat/embeddings-request.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { Exchange, Sink } from '../../attempt/upstream/upstream.ts'
import { sendDemoError } from './demo-error.ts'

/** The body of an embeddings request to the demo model. */
export type DemoEmbeddingsBody = {
  input: EmbeddingsInput[]
  encoding_format?: 'float' | 'base64' | null
  dimensions?: number | null
}

/**
 * Sends an embeddings request to the demo model. Keywords in the last input make it fail (`demo:error=429`,
 * `demo:cut`), wait (`demo:slow=500`) or omit the usage (`demo:nousage`).
 */
export function sendEmbeddingsToDemo(body: DemoEmbeddingsBody, sink: Sink): Exchange {
  const { dimensions } = body
  const options = readDemoOptions(readText(body.input.at(-1)!))
  if (options.errorStatus !== undefined)
    return sendDemoError(
      { status: options.errorStatus, message: `The demo model was asked to fail with ${options.errorStatus}.` },
      sink,
    )
  if (dimensions != null && dimensions > maxDimensions)
    return sendDemoError({ status: 400, message: `dimensions: the demo model has at most ${maxDimensions}.` }, sink)
  const exchange = new DemoEmbeddingsExchange(sink)
  void (options.cut
    ? exchange.cut(options.firstWordDelayMs)
    : exchange.run(jsonPieces(body, !options.omitsUsage), options.firstWordDelayMs))
  return exchange
}

/** The time after which the process handles other events, in milliseconds. */
const sliceMs = 5

/** Sends the pieces of one list of embeddings to a sink, as an upstream would. */
class DemoEmbeddingsExchange implements Exchange {
  readonly #sink: Sink
  readonly #ended = new AbortController()
  #hasSentHead = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async run(pieces: Iterable<string>, delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { signal: this.#ended.signal }).catch(() => {})
    if (this.#isEnded) return
    this.#sink.head(200, { 'content-type': 'application/json' })
    this.#hasSentHead = true
    let sliceEnd = performance.now() + sliceMs
    for (const piece of pieces) {
      if (this.#isEnded) return
      this.#sink.data(Buffer.from(piece))
      if (performance.now() <= sliceEnd) continue
      await nextTurn()
      sliceEnd = performance.now() + sliceMs
    }
    this.#end(() => this.#sink.end())
  }

  /** Breaks the connection before the first byte. */
  async cut(delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { signal: this.#ended.signal }).catch(() => {})
    this.#fail('reset', 'the demo model closed the connection')
  }

  abort(): void {
    this.#fail('aborted', 'the client disconnected')
  }

  pause(): void {}

  resume(): void {}

  get #isEnded(): boolean {
    return this.#ended.signal.aborted
  }

  #fail(kind: 'aborted' | 'reset', message: string): void {
    this.#end(() => this.#sink.fail({ kind, phase: this.#hasSentHead ? 'response' : 'first_byte', message }))
  }

  #end(notify: () => void): void {
    if (this.#isEnded) return
    this.#ended.abort()
    notify()
  }
}

/** The JSON of the response, in one piece for each vector. */
function* jsonPieces(
  { input, encoding_format: format, dimensions }: DemoEmbeddingsBody,
  hasUsage: boolean,
): Generator<string, void> {
  let tokens = 0
  yield '{"object":"list","data":['
  for (const [index, item] of input.entries()) {
    const text = readText(item)
    tokens += Array.isArray(item) ? item.length : estimateTokens(Buffer.byteLength(text))
    const vector = createDemoEmbedding(text, dimensions ?? defaultDimensions)
    const embedding = format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    yield `${index > 0 ? ',' : ''}${JSON.stringify({ object: 'embedding', index, embedding })}`
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  yield `],${JSON.stringify({ model: 'signalbox/demo-embedding', ...(hasUsage && { usage }) }).slice(1)}`
}

function readText(input: EmbeddingsInput): string {
  if (typeof input === 'string') return input
  if (Array.isArray(input)) return input.join(' ')
  return input.content.map(({ text }) => (typeof text === 'string' ? text : '')).join(' ')
}
