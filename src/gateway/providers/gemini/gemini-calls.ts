import { argumentsText, type UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { generateCallId } from './gemini-call-id.ts'
import { type PartialArg, PartialArguments } from './gemini-partial-args.ts'

export type FunctionCall = {
  id?: string
  name?: string
  args?: object | string
  /** The arguments in parts, as Vertex AI streams them. */
  partialArgs?: PartialArg[] | null
  /** Another part of the same call follows. */
  willContinue?: boolean
}

/** The thought signature of a part. */
type Signature = { encrypted?: string }

/** The name of Gemini's signed reasoning in `reasoning_details`, as OpenRouter defines it. */
export const reasoningFormat = 'google-gemini-v1' as const

/** Reads the function calls of one response. Gemini sends many without an id: they get one derived from the id of the response. */
export class GeminiCalls {
  #count = 0
  /** The arguments of the calls, by their ids. */
  readonly #argumentsById = new Map<string, string>()
  /** The call that has not received all of its parts. */
  #partialCall: { id: string | undefined; name: string; args: PartialArguments; signed: Signature } | undefined

  get count(): number {
    return this.#count
  }

  /** Reads a part. A call can arrive whole, or its arguments in parts. @throws Error for parts that are not one call. */
  read(part: FunctionCall, signed: Signature, responseId: string): UpstreamEvent[] {
    const { id, name, args, partialArgs, willContinue } = part
    if (!this.#partialCall && !willContinue && !partialArgs) return this.#toFragments(part, signed, responseId)
    this.#partialCall ??= { id, name: name ?? '', args: new PartialArguments(), signed }
    const call = this.#partialCall
    if ((name && name !== call.name) || (id && call.id && id !== call.id)) throw cutOffError(call.name)
    call.id ??= id
    call.signed = { ...call.signed, ...signed }
    call.args.add(partialArgs ?? [])
    if (willContinue) return []
    this.#partialCall = undefined
    return this.#toFragments(
      { id: call.id, name: call.name, args: wholeArguments(call, args) },
      call.signed,
      responseId,
    )
  }

  /** Ends a response that its provider reports as complete. @throws Error if the last part of a call is missing. */
  requireNoPartialCall(): void {
    if (this.#partialCall) throw cutOffError(this.#partialCall.name)
  }

  /** Returns the call whose last part is missing, because the response was cut off. */
  takePartialCall(responseId: string): UpstreamEvent[] {
    const call = this.#partialCall
    if (!call) return []
    this.#partialCall = undefined
    const index = this.#count++
    const id = call.id ?? generateCallId(responseId, index)
    // Without its last brace, the JSON is as incomplete as the call.
    return [{ type: 'call_fragment', upstreamIndex: index, id, name: call.name, text: call.args.toJson().slice(0, -1) }]
  }

  #toFragments({ id, name = '', args }: FunctionCall, signed: Signature, responseId: string): UpstreamEvent[] {
    const index = this.#count++
    const whole = argumentsText(args) ?? '{}'
    // The same id with other arguments is another call.
    const hasOwnId = id ? (this.#argumentsById.get(id) ?? whole) === whole : false
    const callId = id && hasOwnId ? id : generateCallId(responseId, index)
    if (hasOwnId) this.#argumentsById.set(callId, whole)
    return [
      {
        type: 'call_fragment',
        // A repeated call has no index, so that it is recognized by its id.
        upstreamIndex: hasOwnId ? undefined : index,
        id: callId,
        name,
        wholeArguments: whole,
        isClosed: true,
        signature: signed.encrypted ? { format: reasoningFormat, ...signed } : undefined,
      },
    ]
  }
}

const cutOffError = (name: string) => new Error(`the arguments of the call of "${name}" are cut off`)

/** The arguments of a call in parts, whose last part can repeat all of them. */
function wholeArguments({ args }: { args: PartialArguments }, repeated: FunctionCall['args']): string {
  const isEmpty = typeof repeated === 'object' && repeated !== null && Object.keys(repeated).length === 0
  return (isEmpty ? undefined : argumentsText(repeated)) || args.toJson()
}
