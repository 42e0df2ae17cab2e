import { defaultDimensions, demoEmbedding, maxDimensions } from '#chat/demo/embedding.ts'
import { demoOptions } from '#chat/demo/keywords.ts'
import type { EmbeddingsInput } from '#chat/embeddings-request.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { Exchange, Sink } from '../../attempt/upstream/upstream.ts'
import { refuse } from './demo-refusal.ts'

/** The body that an embeddings request to the demo model has. */
type DemoEmbeddingsBody = {
  input: EmbeddingsInput[]
  encoding_format?: 'float' | 'base64' | null
  dimensions?: number | null
}

/**
 * The demo model as an upstream of OpenAI embeddings. Keywords in the last input make it fail (`demo:error=429`,
 * `demo:cut`), wait (`demo:slow=500`) or omit the usage (`demo:nousage`).
 */
export function sendEmbeddingsToDemo(body: DemoEmbeddingsBody, sink: Sink): Exchange {
  const { dimensions } = body
  const options = demoOptions(readText(body.input.at(-1)!))
  if (options.error !== undefined)
    return refuse({ status: options.error, message: `The demo model was asked to fail with ${options.error}.` }, sink)
  if (dimensions != null && dimensions > maxDimensions)
    return refuse({ status: 400, message: `dimensions: the demo model has at most ${maxDimensions}.` }, sink)
  const answer = new DemoEmbeddingsAnswer(answerPieces(body, !options.nousage), options.cut, sink)
  answer.start(options.slow)
  return answer
}

/** The milliseconds of work after which other events of the process are handled. */
const sliceMs = 5

class DemoEmbeddingsAnswer implements Exchange {
  readonly #pieces: Generator<string, undefined>
  readonly #cuts: boolean
  readonly #sink: Sink
  #hasStarted = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined

  /** @param cuts whether the connection breaks before the first byte. */
  constructor(pieces: Generator<string, undefined>, cuts: boolean, sink: Sink) {
    this.#pieces = pieces
    this.#cuts = cuts
    this.#sink = sink
  }

  start(afterMs: number): void {
    this.#timer = setTimeout(() => this.#next(), afterMs)
  }

  abort(): void {
    this.#fail('aborted', 'the client disconnected')
  }

  pause(): void {}

  resume(): void {}

  #next(): void {
    if (this.#cuts) return this.#fail('reset', 'the demo model closed the connection')
    if (!this.#hasStarted) this.#sink.head(200, { 'content-type': 'application/json' })
    this.#hasStarted = true
    const end = performance.now() + sliceMs
    while (!this.#isOver) {
      const piece = this.#pieces.next()
      if (piece.done) return this.#finish(() => this.#sink.end())
      this.#sink.data(Buffer.from(piece.value))
      if (performance.now() > end) {
        this.#timer = setTimeout(() => this.#next())
        return
      }
    }
  }

  #fail(kind: 'aborted' | 'reset', message: string): void {
    this.#finish(() => this.#sink.failed({ kind, phase: this.#hasStarted ? 'answer' : 'first_byte', message }))
  }

  #finish(notify: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    notify()
  }
}

function* answerPieces(
  { input, encoding_format: format, dimensions }: DemoEmbeddingsBody,
  hasUsage: boolean,
): Generator<string, undefined> {
  let tokens = 0
  yield '{"object":"list","data":['
  for (const [index, item] of input.entries()) {
    const text = readText(item)
    tokens += Array.isArray(item) ? item.length : estimateTokens(Buffer.byteLength(text))
    const vector = demoEmbedding(text, dimensions ?? defaultDimensions)
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
