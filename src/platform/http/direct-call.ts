import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Pause, pauseFor } from '../async/long-work.ts'
import { Fault } from '../core/fault.ts'
import { JsonSource, worthASource } from '../json/json-source.ts'
import type { Log } from '../process/log.ts'
import { noteFailureReason } from './failure-reason.ts'
import { type JsonReader, requireNoExcess, textOfBody } from './request/json-body.ts'
import { DirectResponse } from './response/direct-response.ts'
import { type Envelope, errorInForm } from './response/envelope.ts'

type Answer = Buffer | object | undefined

/** One route that is answered without the framework: its requests are many, and cost half of that less. */
export type DirectRoute<Caller, Body extends object> = {
  readJson: JsonReader
  /** The body as its schema has it. @throws Fault `invalid` that says what is wrong. */
  validate: (body: unknown) => Body
  /** Gives a whole answer as an object or as bytes of JSON; undefined where the response is written already. */
  handle: (call: DirectCall<Caller, Body>) => Answer | Promise<Answer>
  /** Called with every whole answer that is an object. @throws Error for one that its schema forbids. */
  check: (answer: unknown) => void
  /** Explains a failure that is not a defect of ours. */
  explain: (error: unknown) => Fault | undefined
  envelope: Envelope | undefined
  path: string
  log: Log
}

type DecodedBody = { bytes: Buffer; text: string }
type ParsedBody = DecodedBody & { value: unknown }

type Facts<Caller> = { caller: Caller; requestId: string; host: string | undefined; head: (string | number)[] }

/** One request for a direct route: its caller is known, and its body, which must be JSON, has not arrived. */
export class DirectCall<Caller, Body extends object> {
  readonly caller: Caller
  readonly requestId: string
  readonly host: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly response: DirectResponse
  body!: Body
  /** The bytes that the body was read from, where it is long. */
  source: JsonSource | undefined
  /** Separates the stages of the work on a long body. */
  pause: Pause | undefined
  readonly #route: DirectRoute<Caller, Body>
  readonly #raw: ServerResponse
  #parts: Buffer[] = []

  constructor(
    route: DirectRoute<Caller, Body>,
    request: IncomingMessage,
    raw: ServerResponse,
    { caller, requestId, host, head }: Facts<Caller>,
  ) {
    this.#route = route
    this.#raw = raw
    this.caller = caller
    this.requestId = requestId
    this.host = host
    this.headers = request.headers
    this.response = new DirectResponse(raw, head)
    raw.on('close', () => this.response.closed())
    request.on('data', (part: Buffer) => this.#parts.push(part))
    request.on('end', () => void this.#answer().catch((error) => this.#giveUp(error)))
  }

  async #answer(): Promise<void> {
    const { response } = this
    try {
      const reading = this.#readBody()
      if (reading) await reading
      // A client can leave during a pause.
      if (response.signal.aborted) return
      const answer = await this.#route.handle(this)
      if (!response.begun) this.#send(answer)
    } catch (error) {
      this.#fail(error)
    }
  }

  /**
   * Reads a short body at once, a long one in stages. In a separate method, because an async function holds its variables
   * while it waits: the bytes of a prompt would be held as long as its answer is streamed.
   */
  #readBody(): Promise<void> | undefined {
    const bytes = this.#takeBytes()
    this.pause = pauseFor(bytes.length)
    if (this.pause) return this.#readLong(bytes, this.pause)
    this.#validate(this.#parse(this.#decode(bytes)))
    return undefined
  }

  #takeBytes(): Buffer {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    return bytes
  }

  #decode(bytes: Buffer): DecodedBody {
    const text = textOfBody(bytes)
    requireNoExcess(text)
    return { bytes, text }
  }

  #parse(decoded: DecodedBody): ParsedBody {
    return { ...decoded, value: this.#route.readJson(decoded.text) }
  }

  #validate({ bytes, text, value }: ParsedBody): void {
    this.body = this.#route.validate(value)
    if (this.body === value && bytes.length >= worthASource) this.source = new JsonSource(this.body, bytes, text)
  }

  async #readLong(bytes: Buffer, pause: Pause): Promise<void> {
    const decoded = this.#decode(bytes)
    await pause()
    const parsed = this.#parse(decoded)
    await pause()
    this.#validate(parsed)
    await pause()
  }

  #send(answer: Buffer | object | undefined): void {
    // Its client left before the first piece of a stream.
    if (answer === undefined) return this.response.breakOff()
    if (Buffer.isBuffer(answer)) return this.response.send(200, 'application/json', answer)
    this.#route.check(answer)
    this.response.send(200, jsonType, Buffer.from(JSON.stringify(answer)))
  }

  #fail(error: unknown): void {
    const { explain, envelope, log, path } = this.#route
    const context = { err: error, requestId: this.requestId, route: path }
    if (this.response.begun) {
      log.error(context, 'a stream broke')
      return this.response.breakOff()
    }
    const explained = explain(error)
    if (explained) log.warn(context, explained.message)
    const fault = explained ?? (error instanceof Fault ? error : undefined)
    if (!fault) log.error(context, 'request failed')
    const { status, headers, body } = errorInForm(fault, this.requestId, envelope)
    if (status >= 500) noteFailureReason(this.#raw, fault?.message ?? 'internal error')
    for (const name in headers) this.response.header(name, headers[name]!)
    this.response.send(status, jsonType, Buffer.from(JSON.stringify(body)))
  }

  /** Closes the connection if the error response cannot be written, so that the failure does not reach the process. */
  #giveUp(error: unknown): void {
    this.#route.log.error({ err: error, requestId: this.requestId, route: this.#route.path }, 'no answer can be sent')
    this.response.breakOff()
  }
}

const jsonType = 'application/json; charset=utf-8'
