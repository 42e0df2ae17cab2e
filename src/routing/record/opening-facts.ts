import type { Generation } from '#usage/generation.ts'

/** The facts of a request that are known before its first attempt. */
export type OpeningFacts = Pick<
  Generation,
  | 'requestId'
  | 'caller'
  | 'sessionId'
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
