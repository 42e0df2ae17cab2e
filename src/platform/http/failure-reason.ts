import type { ServerResponse } from 'node:http'

const reasons = new WeakMap<ServerResponse, string>()

/** Records why a request is answered with a 5xx status, for its log line. */
export function noteFailureReason(response: ServerResponse, reason: string): void {
  reasons.set(response, reason)
}

export const findFailureReason = (response: ServerResponse) => reasons.get(response)
