import type { Generation } from '#spend/ledger/generation.ts'

/** The facts of a request that are known before its first attempt. */
export type RequestFacts = Pick<
  Generation,
  | 'requestId'
  | 'caller'
  | 'sessionId'
  | 'tags'
  | 'app'
  | 'traceParent'
  | 'protocol'
  | 'streamed'
  | 'requestedModel'
  | 'candidateModels'
  | 'preset'
  | 'region'
  | 'contentFindings'
>
