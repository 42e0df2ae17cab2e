import type { Steps } from '#platform/async/long-work.ts'
import { serializeInSteps } from '#platform/json/json-text/json-steps.ts'
import type { EncodedRequest } from './provider-protocol.ts'

type Encoded = Pick<EncodedRequest, 'body' | 'source'>

/** The JSON of the body for an upstream. */
export function encodeBody({ body, source }: Encoded): string | Buffer[] {
  return source?.serializeAs(body) ?? JSON.stringify(body)
}

/** Like `encodeBody`, but in steps, so that a long body does not block the event loop. */
export function* encodeBodyInSteps({ body, source }: Encoded): Steps<Buffer[]> {
  return source?.serializeAs(body) ?? (yield* serializeInSteps(body))
}
