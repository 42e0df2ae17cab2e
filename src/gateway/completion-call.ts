import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { JsonSource } from '#platform/json/json-source.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { TurnLimits } from './admission/turn-limits.ts'
import type { Accesses } from './attempt/credentials.ts'
import type { Target } from './plan/plan.ts'
import type { Body, ClientProtocol, RequestHeaders } from './protocol/protocol.ts'
import type { KeptContent } from './record/content-recorder.ts'
import type { RequestRecord } from './record/request-record.ts'

/** One request for a completion. */
export type CompletionCall = {
  caller: Caller
  client: ClientProtocol
  body: Body
  /** The bytes of the body, if they are available. */
  source?: JsonSource | undefined
  headers: RequestHeaders
  requestId: string
  sessionId: string | undefined
  app: Generation['app']
  /** The client's span, from its `traceparent` header. */
  traceParent: string | undefined
  /** The host name that the client used. */
  host: string | undefined
  response: ResponseStream
  /** The remaining budgets of an intern's turn and session. */
  turns?: TurnLimits | undefined
}

/** The state of a request in flight: its body after the policy was applied, its record, and its reservation. */
export type CompletionContext = Omit<CompletionCall, 'response'> & {
  response: RevocableResponse
  /** Called with each endpoint before its attempt. */
  asking: (target: Target) => void
  chat: ChatRequest
  /** Whether a spending limit counts the request. */
  limited: boolean
  /** Fields that are removed before sending, because their cost is unknown. */
  heldBack: readonly string[]
  /** The estimated length of the prompt; defined if the request allows the prompt to be shortened. */
  promptTokens: number | undefined
  requestRecord: RequestRecord
  /** The prompt and answer to store. Undefined if the policy stores none. */
  content: KeptContent | undefined
  accesses: Accesses
  /** The name of the circuit that an attempt at an endpoint belongs to. */
  circuitOf: (endpoint: Endpoint) => string
  /** Applies the policy again if its rules have changed. @throws Fault as `judgeAgain` of a decision does. */
  judgeAgain: (target: Target) => Promise<void> | undefined
  /** Settles a failed attempt and reserves money for the remaining endpoints. @throws Fault as `reserve` does. */
  payAndReserve: (lost: { cost: PicoUsd; byok: boolean }, left: readonly Target[]) => Promise<void>
}
